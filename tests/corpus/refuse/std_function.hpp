// tests/corpus/refuse/std_function.hpp - refused: std::function in reached code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) {
    // EXPECT-ERROR: function
    std::function<std::uint32_t(std::uint32_t)> f = [](std::uint32_t x) { return x + 1U; };
    // MAY-ERROR: std::function
    sum += f(m.n);
  }
};
