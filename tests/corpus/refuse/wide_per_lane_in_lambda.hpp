// tests/corpus/refuse/wide_per_lane_in_lambda.hpp - refused: a per_lane member read by a lambda that is
//   called outside regions too.
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
    const auto kept = [&](const tile& me) { return me.mine(ctx) % 10U; };
    ctx.for_each<64>(*this, [&](tile& me, int i, int) { me.v[i] += kept(me); });
    if (kept(*this) > m.n) ctx.stop();
  }
};
