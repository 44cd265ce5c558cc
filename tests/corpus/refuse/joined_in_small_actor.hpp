// tests/corpus/refuse/joined_in_small_actor.hpp - refused: a small actor with a joined handler: it has no
//   ports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct face {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t n = 0;
  // EXPECT-ERROR: only a block_actor has ports
  void on(const perdure::joined<face>&, perdure::context&) { ++n; }
};
