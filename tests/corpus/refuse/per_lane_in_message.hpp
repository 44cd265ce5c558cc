// tests/corpus/refuse/per_lane_in_message.hpp - refused: a per_lane member in a message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  // EXPECT-ERROR: member 'mine' of message 'tick' is per_lane, which only a block_actor itself can have
  perdure::per_lane<std::uint32_t> mine;
  std::uint32_t n;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  std::uint32_t n = 0;
  void on(const tick& m, perdure::block_context& ctx) const { ctx.once(*this, [&](tile& me) { me.n += m.n; }); }
};
