// tests/corpus/refuse/wide_ports_not_from_zero.hpp - refused: ports that are not numbered 0, 1, 2.
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
  enum class port {
    // EXPECT-ERROR: ports are numbered 0, 1, 2, ...; leave 'east' its own number
    east = 1,
    west
  };
  void on(const tick& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](tile& me) { me.v[0] = m.n; });
  }
};
