// tests/corpus/refuse/small_context_in_wide.hpp - refused: a wide actor whose handler takes a context.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  std::uint32_t n = 0;
  // EXPECT-ERROR: its second parameter is not perdure::block_context&
  void on(const tick&, perdure::context&) const {}
};
