// tests/corpus/refuse/state_long_double.hpp - refused: long double in an actor's state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct keeper : perdure::actor<keeper> {
  // EXPECT-ERROR: long double
  long double sum = 0;
  void on(const tick&, perdure::context&) { sum = 1; }
};
