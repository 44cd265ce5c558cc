// tests/corpus/refuse/throw_expression.hpp - refused: throw in a helper, reached through two calls.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

inline std::uint32_t checked(std::uint32_t n) {
  // EXPECT-ERROR: throw|exception
  if (n > 100U) throw 1;
  return n;
}
inline std::uint32_t twice(std::uint32_t n) { return 2U * checked(n); }
struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) { sum += twice(m.n); }
};
