// tests/corpus/refuse/mutable_global.hpp - refused: a mutable global variable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

inline std::uint32_t total = 0;
struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) {
    // EXPECT-ERROR: total
    total += m.n;
    ++sum;
  }
};
