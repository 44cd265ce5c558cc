// tests/corpus/refuse/handler_returns.hpp - refused: a handler that returns a value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct listener : perdure::actor<listener> {
  std::uint32_t n = 0;
  // EXPECT-ERROR: void|return
  std::uint32_t on(const tick& m, perdure::context&) { return n += m.n; }
};
