// tests/corpus/accept/wide_generic_lambdas.hpp - region bodies that are generic lambdas, that use
//   structured bindings and init-captures.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: sums do not depend on the order
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct spin {
  std::int32_t by;
};
struct spun {
  std::int32_t by;
};
struct point {
  std::int32_t x, y;
};

struct tallies : perdure::actor<tallies> {
  std::int64_t sum = 0;
  void on(const spun& m, perdure::context&) { sum += m.by; }
};

template <class T>
constexpr T turned(const T& p, std::int32_t by) {
  return {p.y + by, p.x - by};
}

struct cloud : perdure::block_actor<cloud> {
  static constexpr int lanes = 64;
  std::array<point, 90> at{};
  perdure::ref<tallies> out;
  perdure::per_lane<std::int32_t> turns;

  void on(const spin& m, perdure::block_context& ctx) const {
    ctx.for_each<90>(*this, [&, by = m.by % 1000](auto& me, auto i, int k) {
      auto& [x, y] = me.at[static_cast<std::size_t>(i)];
      x += by + k;
      y -= static_cast<std::int32_t>(i);
      me.at[static_cast<std::size_t>(i)] = turned(me.at[static_cast<std::size_t>(i)], by);
      me.turns(ctx) += 1;
      if (i % 30 == 0) ctx.send(me.out, spun{x % 100});
    });
    const auto sum = ctx.reduce<90>(
        *this, std::int64_t{0},
        [](const auto& me, auto i) { return std::int64_t{me.at[static_cast<std::size_t>(i)].x}; },
        [](auto a, auto b) { return a + b; });
    ctx.once(*this, [sum](auto& me) { me.at[0].y = static_cast<std::int32_t>(sum % 1000); });
  }
};
