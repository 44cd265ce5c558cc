// tests/corpus/refuse/state_volatile.hpp - refused: a volatile member of an actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct keeper : perdure::actor<keeper> {
  // EXPECT-ERROR: volatile
  volatile std::uint32_t n = 0;
  void on(const tick&, perdure::context&) { n = n + 1U; }
};
