// tests/corpus/refuse/wide_lanes_no_multiple.hpp - refused: lanes that are no multiple of 32.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct tile : perdure::block_actor<tile> {
  // EXPECT-ERROR: lanes of 'tile' is 100; it must be a multiple of 32 up to 1024
  static constexpr int lanes = 100;
  std::uint32_t n = 0;
  void on(const tick&, perdure::block_context&) const {}
};
