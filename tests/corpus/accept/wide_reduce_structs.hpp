// tests/corpus/accept/wide_reduce_structs.hpp - reduce over structs: a range with its place, joined by an
//   operator and by a named function object.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct measure {
  std::uint32_t seed;
};
struct extreme {
  float low, high;
  std::int32_t at;
};
constexpr extreme operator|(const extreme& a, const extreme& b) {
  return {a.low < b.low ? a.low : b.low, a.high > b.high ? a.high : b.high, a.high >= b.high ? a.at : b.at};
}
struct moments {
  std::array<std::int64_t, 3> m{};
};
struct add_moments {
  constexpr moments operator()(const moments& a, const moments& b) const {
    return {{a.m[0] + b.m[0], a.m[1] + b.m[1], a.m[2] + b.m[2]}};
  }
};

struct field : perdure::block_actor<field> {
  static constexpr int lanes = 64;
  float value[130] = {};
  extreme seen{0.0F, 0.0F, 0};
  moments total;

  void on(const measure& m, perdure::block_context& ctx) const {
    ctx.for_each<130>(*this, [&](field& me, int i, int) {
      const std::uint32_t mixed = (m.seed + static_cast<std::uint32_t>(i)) * 2654435761U;
      me.value[i] = static_cast<float>(mixed >> 8U) * 0.001F - 5000.0F;
    });
    const auto range = ctx.reduce<130>(
        *this, extreme{1.0e30F, -1.0e30F, -1},
        [](const field& me, int i) { return extreme{me.value[i], me.value[i], i}; },
        [](const extreme& a, const extreme& b) { return a | b; });
    const auto sums = ctx.reduce<77>(
        *this, moments{},
        [](const field& me, int i) {
          const auto v = static_cast<std::int64_t>(me.value[i]);
          return moments{{1, v, v * v}};
        },
        add_moments{});
    ctx.once(*this, [&](field& me) {
      me.seen = range;
      for (std::size_t i = 0; i < 3; ++i) me.total.m[i] += sums.m[i];
    });
  }
};
