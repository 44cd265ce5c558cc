// tests/corpus/accept/wide_helpers.hpp - helpers called from regions and from the uniform part: free
//   functions, templates, members, lambdas.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct blend {
  float ratio;
  std::uint8_t passes;
};

constexpr float mix(float a, float b, float t) { return a + (b - a) * t; }
template <class T>
constexpr T clamped(T v, T low, T high) {
  return v < low ? low : v > high ? high : v;
}

struct canvas : perdure::block_actor<canvas> {
  static constexpr int lanes = 64;
  float row[80] = {};
  float peak = 0.0F;
  perdure::per_lane<float> last;
  std::uint32_t passes = 0;

  float left_of(int i) const { return i > 0 ? row[i - 1] : 1.0F; }
  void keep(int i, float v, perdure::block_context& ctx) {
    last(ctx) = v;
    row[i] = v;
  }
  void pass(float t, perdure::block_context& ctx) const {
    ctx.for_each<80>(*this, [&](canvas& me, int i, int) {
      const float v = mix(me.row[i], me.last(ctx) + static_cast<float>(i), t);
      me.keep(i, clamped(v, -100.0F, 100.0F), ctx);
    });
  }
  void on(const blend& m, perdure::block_context& ctx) const {
    const float t = clamped(m.ratio * 0.001F, 0.0F, 1.0F);
    for (int n = 0; n < m.passes % 4; ++n) pass(t, ctx);
    const auto top = largest(*this, ctx);
    const auto set_peak = [&](float v) { ctx.once(*this, [&](canvas& me) { me.peak = v; }); };
    set_peak(top);
    ctx.once(*this, [](canvas& me) {
      const auto count = [](std::uint32_t& n) { ++n; };
      count(me.passes);
    });
  }

 private:
  template <class Self>
  static float largest(const Self& self, perdure::block_context& ctx) {
    return ctx.reduce<80>(
        self, -1.0e9F, [](const Self& me, int i) { return mix(me.row[i], me.left_of(i), 0.25F); },
        [](float a, float b) { return a > b ? a : b; });
  }
};
