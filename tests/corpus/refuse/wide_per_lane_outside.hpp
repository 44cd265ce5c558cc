// tests/corpus/refuse/wide_per_lane_outside.hpp - refused: a per_lane member read outside a region.
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
  perdure::per_lane<std::uint32_t> mine;
  void on(const tick& m, perdure::block_context& ctx) const {
    // EXPECT-ERROR: per_lane member 'mine' has a value of its own in every lane
    const std::uint32_t seen = mine(ctx);
    ctx.once(*this, [&](tile& me) { me.v[0] = seen + m.n; });
  }
};
