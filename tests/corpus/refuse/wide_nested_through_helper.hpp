// tests/corpus/refuse/wide_nested_through_helper.hpp - refused: a region that is reached from inside one
//   through helpers.
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
  void deepest(std::uint32_t n, perdure::block_context& ctx) const {
    // EXPECT-ERROR: regions do not nest: 'for_each' is reached from inside one
    ctx.for_each<8>(*this, [&](tile& me, int i, int) { me.v[i] = n; });
  }
  void deeper(int i, std::uint32_t n, perdure::block_context& ctx) const {
    if (i == 3) deepest(n, ctx);
  }
  void on(const tick& m, perdure::block_context& ctx) const {
    ctx.for_each<64>(*this, [&](tile& me, int i, int) { me.deeper(i, m.n, ctx); });
  }
};
