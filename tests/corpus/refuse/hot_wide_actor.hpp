// tests/corpus/refuse/hot_wide_actor.hpp - refused: a wide actor that says it is hot.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  // EXPECT-ERROR: wide actor 'tile' cannot be hot
  static constexpr bool hot = true;
  std::uint32_t n = 0;
  void on(const tick&, perdure::block_context&) const {}
};
