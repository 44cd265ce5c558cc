// tests/corpus/refuse/wide_writes_local.hpp - refused: writes to locals of the handler inside regions:
//   assignment, ++, +=, an element, a parameter.
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
    std::uint32_t sum = 0, last = 0;
    std::uint32_t counts[4] = {};
    struct { int n; } place = {0};
    ctx.for_each<64>(*this, [&](tile& me, int i, int) {
      // EXPECT-ERROR: 'sum' belongs to the handler
      sum += me.v[i];
      // EXPECT-ERROR: 'last' belongs to the handler
      last = static_cast<std::uint32_t>(i);
      // EXPECT-ERROR: 'counts' belongs to the handler
      ++counts[i % 4];
      // EXPECT-ERROR: 'place' belongs to the handler
      place.n--;
    });
    ctx.once(*this, [&](tile& me) { me.v[0] = sum + last + counts[m.n % 4U] + static_cast<std::uint32_t>(place.n); });
  }
};
