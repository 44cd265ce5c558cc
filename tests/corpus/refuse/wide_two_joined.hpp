// tests/corpus/refuse/wide_two_joined.hpp - refused: two joined handlers in one actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct face {
  std::uint32_t n;
};
struct edge {
  std::uint32_t n;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  enum class port { a, b };
  std::uint32_t n = 0;
  void on(const perdure::joined<face>& in, perdure::block_context& ctx) const {
    ctx.once(*this, [&](tile& me) { me.n += in[port::a].n; });
  }
  // EXPECT-ERROR: two joined handlers in one actor; one takes several types: perdure::joined<M, N>
  void on(const perdure::joined<edge>& in, perdure::block_context& ctx) const {
    ctx.once(*this, [&](tile& me) { me.n += in[port::b].n; });
  }
};
