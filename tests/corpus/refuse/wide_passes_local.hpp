// tests/corpus/refuse/wide_passes_local.hpp - refused: a handler's local passed by non-const reference or
//   by address inside a region.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
constexpr void add_to(std::uint32_t& to, std::uint32_t n) { to += n; }
constexpr void add_at(std::uint32_t* to, std::uint32_t n) { *to += n; }
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  void on(const tick& m, perdure::block_context& ctx) const {
    std::uint32_t sum = 0;
    ctx.for_each<64>(*this, [&](tile& me, int i, int) {
      // EXPECT-ERROR: 'sum' belongs to the handler
      add_to(sum, me.v[i]);
      // EXPECT-ERROR: 'sum' belongs to the handler
      add_at(&sum, m.n);
    });
    ctx.once(*this, [&](tile& me) { me.v[0] = sum; });
  }
};
