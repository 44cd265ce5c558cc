// tests/corpus/refuse/wide_without_lanes.hpp - refused: a wide actor that does not say its width.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
// EXPECT-ERROR: wide actor 'tile' must say how many lanes
struct tile : perdure::block_actor<tile> {
  std::uint32_t n = 0;
  void on(const tick&, perdure::block_context&) const {}
};
