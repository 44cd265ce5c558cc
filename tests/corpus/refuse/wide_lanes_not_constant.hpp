// tests/corpus/refuse/wide_lanes_not_constant.hpp - refused: lanes that are no constant.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct tile : perdure::block_actor<tile> {
  // EXPECT-ERROR: wide actor 'tile' must say how many lanes
  static inline const int lanes = 64;
  std::uint32_t n = 0;
  void on(const tick&, perdure::block_context&) const {}
};
