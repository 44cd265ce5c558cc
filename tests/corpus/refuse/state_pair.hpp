// tests/corpus/refuse/state_pair.hpp - refused: std::pair in state; its assignment makes it not trivially copyable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <utility>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct keeper : perdure::actor<keeper> {
  // EXPECT-ERROR: std::pair
  std::pair<std::uint32_t, float> both{1, 0.0F};
  void on(const tick& m, perdure::context&) { both.first += m.n; }
};
