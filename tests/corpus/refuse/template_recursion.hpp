// tests/corpus/refuse/template_recursion.hpp - refused: a function template that recurses at run time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

template <class T>
T power(T base, std::uint32_t n) {
  // EXPECT-ERROR: recurs
  return n == 0U ? T{1} : base * power(base, n - 1U);
}
struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint64_t sum = 0;
  void on(const tick& m, perdure::context&) { sum += power(std::uint64_t{3}, m.n % 5U); }
};
