// tests/corpus/refuse/wide_per_lane_through_helper.hpp - refused: a per_lane array read outside a region,
//   through helpers; the same helper inside one is fine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  perdure::per_lane<std::array<std::uint32_t, 4>> mine;
  std::uint32_t first_of(perdure::block_context& ctx) const {
    // EXPECT-ERROR: per_lane member 'mine' has a value of its own in every lane
    return mine(ctx)[0];
  }
  template <class Self>
  static std::uint32_t twice(const Self& self, perdure::block_context& ctx) { return 2U * self.first_of(ctx); }
  void on(const tick& m, perdure::block_context& ctx) const {
    ctx.for_each<64>(*this, [&](tile& me, int i, int) { me.v[i] += me.first_of(ctx); });
    if (twice(*this, ctx) > m.n) ctx.stop();
  }
};
