// tests/corpus/refuse/overflow_in_wide_actor.hpp - refused: a wide actor that drops the newest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  // EXPECT-ERROR: wide actor 'tile' cannot choose an overflow rule
  static constexpr auto overflow = perdure::overflow::drop_newest;
  std::uint32_t n = 0;
  void on(const tick&, perdure::block_context&) const {}
};
