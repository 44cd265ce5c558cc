// tests/corpus/refuse/undefined_function.hpp - refused: a function that is declared and never defined.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

std::uint32_t elsewhere(std::uint32_t n);
struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) {
    // EXPECT-ERROR: elsewhere
    sum += elsewhere(m.n);
  }
};
