// tests/corpus/refuse/state_member_pointer.hpp - refused: a pointer to member in an actor's state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct node : perdure::actor<node> {
  std::uint32_t a = 0, b = 0;
  // EXPECT-ERROR: pointer
  std::uint32_t node::*which = &node::a;
  void on(const tick&, perdure::context&) { ++(this->*which); }
};
