// tests/corpus/refuse/direct_recursion.hpp - refused: a function that calls itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

// EXPECT-ERROR: recurs
inline std::uint32_t factorial(std::uint32_t n) { return n < 2U ? 1U : n * factorial(n - 1U); }
struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) { sum += factorial(m.n % 10U); }
};
