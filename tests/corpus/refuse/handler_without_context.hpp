// tests/corpus/refuse/handler_without_context.hpp - refused: a handler without a context.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct listener : perdure::actor<listener> {
  std::uint32_t n = 0;
  // EXPECT-ERROR: context
  void on(const tick& m) { n += m.n; }
};
