// tests/corpus/refuse/per_lane_apart.hpp - refused: per_lane markers that do not stand together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
// EXPECT-ERROR: per_lane member 'second' must stand right behind 'first'
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  perdure::per_lane<std::uint32_t> first;
  std::uint32_t n = 0;
  perdure::per_lane<std::uint32_t> second;
  void on(const tick& m, perdure::block_context& ctx) const { ctx.once(*this, [&](tile& me) { me.n += m.n; }); }
};
