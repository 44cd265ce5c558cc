// tests/corpus/refuse/wide_writes_through_reference.hpp - refused: writes to a handler's local through
//   references and pointers to it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct holder {
  std::uint32_t& at;
  explicit constexpr holder(std::uint32_t& to) : at{to} {}
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  void on(const tick& m, perdure::block_context& ctx) const {
    std::uint32_t sum = 0;
    std::uint32_t& alias = sum;
    struct { std::uint32_t a, b; } pair = {1, 2};
    std::uint32_t several[3] = {};
    ctx.for_each<64>(*this, [&](tile& me, int i, int) {
      // EXPECT-ERROR: 'alias' belongs to the handler
      alias += me.v[i];
      // EXPECT-ERROR: 'sum' belongs to the handler
      std::uint32_t& inner = sum;
      inner += m.n;
      // EXPECT-ERROR: 'pair' belongs to the handler
      auto& [a, b] = pair;
      a += b;
      // EXPECT-ERROR: 'several' belongs to the handler
      for (std::uint32_t& x : several) x += 1;
      for (const std::uint32_t x : several) me.v[i] += x;  // reads
      // EXPECT-ERROR: 'sum' belongs to the handler
      holder{sum}.at += 1;
      // EXPECT-ERROR: 'sum' belongs to the handler
      std::uint32_t* const at = &sum;
      // EXPECT-ERROR: 'sum' belongs to the handler
      *at += 1;
    });
    ctx.once(*this, [&](tile& me) { me.v[0] = sum; });
  }
};
