// tests/corpus/accept/wide_made_in_place.hpp - send_in_place() of a wide handler: filled by several regions, from a function that the
//   handler calls, by a lambda that takes what it gets; to a small actor and to a wide one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct canvas {
  perdure::any_ref from;
  std::uint32_t sum;
  std::array<std::uint32_t, 1000> pixels;
};
struct strip {
  std::array<std::uint32_t, 80> pixels;
};
struct paint {
  std::uint32_t seed;
};

struct viewer : perdure::actor<viewer> {
  std::uint64_t digest = 1;
  void on(const canvas& m, perdure::context& ctx) {
    for (const std::uint32_t w : m.pixels) digest = digest * 31U + w;
    digest += m.sum + (m.from == ctx.sender() ? 1U : 0U);
  }
};

struct painter : perdure::block_actor<painter> {
  static constexpr int lanes = 64;
  std::uint32_t shades[1000] = {};
  std::uint32_t painted = 0;
  perdure::ref<viewer> to;
  perdure::ref<painter> other;

  void on(const paint& p, perdure::block_context& ctx) const {
    const std::uint32_t seed = p.seed;
    ctx.send_in_place<canvas>(to, [&](canvas& m) {
      const perdure::any_ref me = ctx.self(*this);
      ctx.for_each<1000>(*this, [&](painter& self, int i, int) {
        const auto n = static_cast<std::size_t>(i);
        m.pixels[n] = self.shades[n] ^ seed * static_cast<std::uint32_t>(i + 1);
      });
      const auto sum = ctx.reduce<1000>(
          *this, 0U, [&](const painter& self, int i) { return self.shades[i] + m.pixels[static_cast<std::size_t>(i)]; },
          [](std::uint32_t a, std::uint32_t b) { return a + b; });
      ctx.once(*this, [&](painter&) {
        m.from = me;
        m.sum = sum;
      });
    });
    if (seed % 2 == 0) pass_on(seed, ctx);
    ctx.once(*this, [](painter& me) { ++me.painted; });
  }
  void on(const strip& m, perdure::block_context& ctx) const {
    ctx.for_each<80>(*this, [&](painter& me, int i, int) {
      me.shades[i] = me.shades[i] * 3U + m.pixels[static_cast<std::size_t>(i)];
    });
  }

 private:
  void pass_on(std::uint32_t seed, perdure::block_context& ctx) const {
    ctx.send_in_place<strip>(other, [&](auto& m) {
      ctx.for_each<80>(*this, [&](painter& me, int i, int) {
        m.pixels[static_cast<std::size_t>(i)] = me.shade(i) + seed;
      });
    });
  }
  std::uint32_t shade(int i) const { return shades[i] * 5U; }
};
