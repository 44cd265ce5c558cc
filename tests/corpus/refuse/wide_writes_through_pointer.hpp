// tests/corpus/refuse/wide_writes_through_pointer.hpp - refused: writes to a handler's local by a pointer made outside.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct pair {
  std::uint32_t a, b;
};
constexpr const std::uint32_t* read(const std::uint32_t* from) { return from; }
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  void on(const tick&, perdure::block_context& ctx) const {
    std::uint32_t sum = 0;
    std::uint32_t* const at = &sum;
    std::uint32_t* again = at;
    std::uint32_t several[3] = {};
    std::uint32_t* const first = several;
    pair both = {1, 2};
    pair* const two = &both;
    // EXPECT-ERROR: 'sum' belongs to the handler
    ctx.once(*this, [at](tile&) { *at += 1; });
    // EXPECT-ERROR: 'sum' belongs to the handler
    ctx.once(*this, [again](tile&) { ++*again; });
    // EXPECT-ERROR: 'several' belongs to the handler
    ctx.once(*this, [first](tile&) { first[1] = 2; });
    // EXPECT-ERROR: 'both' belongs to the handler
    ctx.once(*this, [two](tile&) { two->b = 3; });
    ctx.for_each<64>(*this, [first](tile& me, int i, int) {
      std::uint32_t own[2] = {first[0], first[1]};  // reads, and a lane's own
      std::uint32_t* const mine = own;
      *mine += 1;
      std::uint32_t* const row = me.v;
      row[i] += own[0];
      std::uint32_t* turned = own;
      turned = me.v;
      turned[i] += 1;
      std::uint32_t* itself = &itself[1];
      itself = own;
      *itself = 2;
    });
    const std::uint32_t* const seen = several;
    ctx.once(*this, [seen](tile& me) { me.v[0] = *read(&seen[1]); });
  }
};
