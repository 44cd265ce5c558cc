// tests/corpus/refuse/state_vector.hpp - refused: std::vector in an actor's state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct keeper : perdure::actor<keeper> {
  // EXPECT-ERROR: vector|trivially copyable
  std::vector<std::uint32_t> all;
  void on(const tick&, perdure::context&) {}
};
