// tests/corpus/refuse/thread_local_variable.hpp - refused: a thread_local variable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

inline thread_local std::uint32_t depth = 0;
struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) {
    // EXPECT-ERROR: depth
    sum += m.n + depth;
  }
};
