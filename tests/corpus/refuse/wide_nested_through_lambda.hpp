// tests/corpus/refuse/wide_nested_through_lambda.hpp - refused: a region in a lambda of the handler that
//   another region calls.
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
    // EXPECT-ERROR: regions do not nest: 'once' is reached from inside one
    const auto count = [&] { ctx.once(*this, [](tile& me) { ++me.v[0]; }); };
    count();
    ctx.for_each<64>(*this, [&](tile& me, int i, int) {
      if (me.v[i] > m.n) count();
    });
  }
};
