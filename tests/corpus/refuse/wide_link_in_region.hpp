// tests/corpus/refuse/wide_link_in_region.hpp - refused: open, commit and gather inside a region,
//   directly and through a helper.
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
  enum class port { side };
  void pass(perdure::block_context& ctx) const {
    // EXPECT-ERROR: 'open' cannot be called inside a region, and this is reached from one
    const auto out = ctx.open<tick>(port::side);
    // EXPECT-ERROR: 'commit' cannot be called inside a region, and this is reached from one
    ctx.commit(out);
  }
  void on(const tick& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](tile& me) {
      // EXPECT-ERROR: 'open' cannot be called inside a region
      const auto out = ctx.open<tick>(port::side);
      out->n = me.v[0] + m.n;
      // EXPECT-ERROR: 'commit' cannot be called inside a region
      ctx.commit(out);
      // EXPECT-ERROR: 'has_read' cannot be called inside a region
      ctx.has_read();
      // EXPECT-ERROR: 'keeps_to_groups' cannot be called inside a region
      ctx.keeps_to_groups();
      // EXPECT-ERROR: 'gather' cannot be called inside a region
      ctx.gather(2);
      me.pass(ctx);
    });
  }
};
