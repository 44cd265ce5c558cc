// tests/corpus/refuse/wide_too_many_ports.hpp - refused: more than 16 ports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  // EXPECT-ERROR: 'tile' has 17 ports; an actor has at most 16
  enum class port { a, b, c, d, e, f, g, h, i, j, k, l, n, o, p, q, r };
  void on(const tick& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](tile& me) { me.v[0] = m.n; });
  }
};
