// tests/corpus/refuse/state_pointer.hpp - refused: a pointer in an actor's state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct node : perdure::actor<node> {
  std::uint32_t n = 0;
  // EXPECT-ERROR: pointer
  node* next = nullptr;
  void on(const tick&, perdure::context&) { ++n; }
};
