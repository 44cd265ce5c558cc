// tests/corpus/refuse/per_lane_in_small_actor.hpp - refused: a per_lane member in a small actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  // EXPECT-ERROR: member 'mine' of actor 'counter' is per_lane, which only a block_actor itself can have
  perdure::per_lane<std::uint32_t> mine;
  std::uint32_t n = 0;
  void on(const tick& m, perdure::context&) { n += m.n; }
};
