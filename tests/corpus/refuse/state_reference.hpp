// tests/corpus/refuse/state_reference.hpp - refused: a reference in an actor's state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct node : perdure::actor<node> {
  std::uint32_t n = 0;
  // EXPECT-ERROR: reference
  std::uint32_t& alias = n;
  void on(const tick&, perdure::context&) { ++alias; }
};
