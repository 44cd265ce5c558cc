// tests/corpus/refuse/two_errors.hpp - refused: two independent errors are both reported in one run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct first : perdure::actor<first> {
  // EXPECT-ERROR: pointer
  std::uint32_t* p = nullptr;
  void on(const tick&, perdure::context&) {}
};
struct second : perdure::actor<second> {
  std::uint32_t n = 0;
  void on(const tick& m, perdure::context&) {
    // EXPECT-ERROR: static
    static std::uint32_t calls = 0;
    // MAY-ERROR: static local
    n += m.n + ++calls;
  }
};
