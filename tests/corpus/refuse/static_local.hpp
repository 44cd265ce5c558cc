// tests/corpus/refuse/static_local.hpp - refused: a static local variable.
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
    // EXPECT-ERROR: static
    static std::uint32_t calls = 0;
    // MAY-ERROR: static local
    sum += m.n + ++calls;
  }
};
