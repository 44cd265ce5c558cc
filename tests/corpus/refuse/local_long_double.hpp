// tests/corpus/refuse/local_long_double.hpp - refused: long double in a function that a handler calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
inline double precise(std::uint32_t n) {
  // EXPECT-ERROR: long double
  const long double x = n;
  return static_cast<double>(x);
}
struct keeper : perdure::actor<keeper> {
  double sum = 0;
  void on(const tick& m, perdure::context&) { sum += precise(m.n); }
};
