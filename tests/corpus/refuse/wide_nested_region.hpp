// tests/corpus/refuse/wide_nested_region.hpp - refused: a region inside a region.
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
    ctx.for_each<64>(*this, [&](tile& me, int i, int) {
      // EXPECT-ERROR: regions do not nest: 'once' is called inside one
      ctx.once(*this, [&](tile& inner) { inner.v[i] = m.n; });
      me.v[i] += 1;
    });
  }
};
