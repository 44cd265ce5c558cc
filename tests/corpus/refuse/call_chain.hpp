// tests/corpus/refuse/call_chain.hpp - refused: a host-only function reached through a chain of helpers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdlib>

#include <perdure/actor.hpp>

namespace helpers {
inline std::uint32_t third(std::uint32_t n) {
  // EXPECT-ERROR: getenv
  return std::getenv("HOME") == nullptr ? n : 2U * n;
}
template <class T>
T second(T n) { return third(n); }
struct first {
  std::uint32_t operator()(std::uint32_t n) const { return second(n); }
};
}  // namespace helpers
struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) { sum += helpers::first{}(m.n); }
};
