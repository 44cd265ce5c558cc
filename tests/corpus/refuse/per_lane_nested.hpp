// tests/corpus/refuse/per_lane_nested.hpp - refused: per_lane members in a struct and in an array of a wide
//   actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct scratch {
  // EXPECT-ERROR: member 'mine' of actor 'tile' is per_lane, which only a block_actor itself can have
  perdure::per_lane<std::uint32_t> mine;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  scratch s;
  // EXPECT-ERROR: member 'several' of actor 'tile' is per_lane, which only a block_actor itself can have
  perdure::per_lane<std::uint32_t> several[3];
  std::uint32_t n = 0;
  void on(const tick& m, perdure::block_context& ctx) const { ctx.once(*this, [&](tile& me) { me.n += m.n; }); }
};
