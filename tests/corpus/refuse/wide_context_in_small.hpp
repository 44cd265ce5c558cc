// tests/corpus/refuse/wide_context_in_small.hpp - refused: a small actor whose handler takes a block_context.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t n = 0;
  // EXPECT-ERROR: its second parameter is not perdure::context&
  void on(const tick& m, perdure::block_context&) { n += m.n; }
};
