// tests/corpus/refuse/wide_message_pointer.hpp - refused: a pointer in a message that goes out of a port.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct face {
  // EXPECT-ERROR: member 'at' of message 'face' is a pointer
  std::uint32_t* at;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  enum class port { side };
  void on(const tick& m, perdure::block_context& ctx) const {
    const auto out = ctx.open<face>(port::side);
    ctx.once(*this, [&](tile& me) { me.v[0] = m.n; });
    ctx.commit(out);
  }
};
