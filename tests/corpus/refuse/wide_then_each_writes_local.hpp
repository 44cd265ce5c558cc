// tests/corpus/refuse/wide_then_each_writes_local.hpp - refused: what is refused in for_each, in a region without the barrier
//   before it: a write to the handler's local, a region inside.
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
    std::uint32_t sum = 0;
    ctx.for_each<64>(*this, [&](tile& me, int i, int) { me.v[i] += m.n; });
    ctx.then_each<64>(*this, [&](tile& me, int i, int) {
      // EXPECT-ERROR: 'sum' belongs to the handler
      sum += me.v[i];
    });
    ctx.for_each<64>(*this, [&](tile& me, int i, int) {
      // EXPECT-ERROR: regions do not nest: 'then_each' is called inside one
      ctx.then_each<2>(*this, [&](tile& inner, int k, int) { inner.v[i] = m.n + static_cast<std::uint32_t>(k); });
      me.v[i] += sum;
    });
  }
};
