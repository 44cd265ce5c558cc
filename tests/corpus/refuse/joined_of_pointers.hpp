// tests/corpus/refuse/joined_of_pointers.hpp - refused: a joined handler of a message that holds a pointer.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct face {
  // EXPECT-ERROR: member 'at' of message 'face' is a pointer
  std::uint32_t* at;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  enum class port { side };
  std::uint32_t n = 0;
  void on(const perdure::joined<face>&, perdure::block_context& ctx) const {
    ctx.once(*this, [&](tile& me) { ++me.n; });
  }
};
