// tests/corpus/refuse/function_pointer.hpp - refused: a call through a function pointer kept in a table.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct chooser : perdure::actor<chooser> {
  std::uint32_t sum = 0;
  // EXPECT-ERROR: pointer
  std::uint32_t (*step)(std::uint32_t) = nullptr;
  void on(const tick& m, perdure::context&) { sum += m.n; }
};
