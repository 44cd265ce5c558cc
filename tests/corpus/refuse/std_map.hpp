// tests/corpus/refuse/std_map.hpp - refused: std::map in reached code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
inline std::uint32_t counted(std::uint32_t n) {
  // EXPECT-ERROR: map
  std::map<std::uint32_t, std::uint32_t> seen;
  // MAY-ERROR: std::map
  seen[n] = 1;
  // MAY-ERROR: std::map
  return seen[n];
}
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) { sum += counted(m.n); }
};
