// tests/corpus/refuse/try_block.hpp - refused: try and catch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) {
    // EXPECT-ERROR: try|exception
    try {
      sum += m.n;
    } catch (...) {
      sum = 0;
    }
  }
};
