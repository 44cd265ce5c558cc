// tests/corpus/refuse/wide_writes_by_member.hpp - refused: a non-const member function of a handler's local
//   called inside a region.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct adder {
  std::uint32_t n = 0;
  void add(std::uint32_t by) { n += by; }
  adder& operator+=(std::uint32_t by) {
    n += by;
    return *this;
  }
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  void on(const tick& m, perdure::block_context& ctx) const {
    adder sum;
    ctx.for_each<64>(*this, [&](tile& me, int i, int) {
      // EXPECT-ERROR: 'sum' belongs to the handler
      sum.add(me.v[i]);
      // EXPECT-ERROR: 'sum' belongs to the handler
      sum += m.n;
    });
    ctx.once(*this, [&](tile& me) { me.v[0] = sum.n; });
  }
};
