// tests/corpus/refuse/mutual_recursion.hpp - refused: two functions that call each other; the notes name the chain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

std::uint32_t odd(std::uint32_t n);
inline std::uint32_t even(std::uint32_t n) { return n == 0U ? 1U : odd(n - 1U); }
// EXPECT-ERROR: even.*odd
inline std::uint32_t odd(std::uint32_t n) { return n == 0U ? 0U : even(n - 1U); }
struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) { sum += even(m.n); }
};
