// tests/corpus/refuse/wide_send_of_joined.hpp - refused: a send of a message that its receiver takes
//   through ports only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct face {
  std::uint32_t n;
};
struct tick {
  std::uint32_t n;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  enum class port { side };
  std::uint32_t n = 0;
  perdure::ref<tile> next;
  void on(const perdure::joined<face>& in, perdure::block_context& ctx) const {
    ctx.once(*this, [&](tile& me) { me.n += in[port::side].n; });
  }
  void on(const tick& m, perdure::block_context& ctx) const {
    // EXPECT-ERROR: actor 'tile' has no handler for message 'face'
    ctx.send(next, face{m.n});
  }
};
