// tests/corpus/refuse/handler_by_value.hpp - refused: a handler that takes its message by value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct listener : perdure::actor<listener> {
  std::uint32_t n = 0;
  // EXPECT-ERROR: const
  void on(tick m, perdure::context&) { n += m.n; }
};
