// tests/corpus/refuse/wide_handler_not_const.hpp - refused: a handler of a wide actor that is not const.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t sum = 0;
  // EXPECT-ERROR: it is not const; members of a wide actor are written inside regions
  void on(const tick& m, perdure::block_context&) { sum += m.n; }
};
