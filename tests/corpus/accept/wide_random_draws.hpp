// tests/corpus/accept/wide_random_draws.hpp - random draws: by region and index inside, several a place,
//   and uniform ones outside.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct shake {
  std::uint8_t times;
};

struct dice : perdure::block_actor<dice> {
  static constexpr int lanes = 64;
  std::uint32_t face[100] = {};
  std::uint64_t last = 0, once_drawn = 0;
  std::uint64_t total = 0;

  void on(const shake& m, perdure::block_context& ctx) const {
    const std::uint64_t uniform = ctx.random();
    for (int t = 0; t <= m.times % 3; ++t) {
      ctx.for_each<100>(*this, [&](dice& me, int i, int) {
        const auto first = ctx.random(), second = ctx.random();
        me.face[i] = me.face[i] * 3U + static_cast<std::uint32_t>(first >> 40U);
        me.face[i] += static_cast<std::uint32_t>(second % 6U);
      });
    }
    ctx.once(*this, [&](dice& me) { me.once_drawn ^= ctx.random(); });
    const auto sum = ctx.reduce<70>(
        *this, std::uint64_t{0}, [&](const dice&, int) { return ctx.random() >> 8U; },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
    const std::uint64_t after_regions = ctx.random();
    ctx.once(*this, [&](dice& me) {
      me.last = uniform ^ after_regions;
      me.total += sum;
    });
  }
};
