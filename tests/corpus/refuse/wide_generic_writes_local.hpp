// tests/corpus/refuse/wide_generic_writes_local.hpp - refused: a generic lambda, a nested lambda and
//   reduce's join that write to a handler's local.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  void on(const tick& m, perdure::block_context& ctx) const {
    std::uint32_t sum = 0, most = 0, joins = 0;
    ctx.for_each<64>(*this, [&](auto& me, auto i, int) {
      // EXPECT-ERROR: 'sum' belongs to the handler
      sum += me.v[i];
      // EXPECT-ERROR: 'most' belongs to the handler
      const auto inner = [&] { most = me.v[i]; };
      inner();
    });
    const auto all = ctx.reduce<64>(
        *this, 0U, [](const tile& me, int i) { return me.v[i]; },
        // EXPECT-ERROR: 'joins' belongs to the handler
        [&](std::uint32_t a, std::uint32_t b) { return ++joins, a + b; });
    ctx.once(*this, [&](tile& me) { me.v[0] = sum + all + most + joins + m.n; });
  }
};
