// tests/corpus/refuse/wide_mutable_body.hpp - refused: a region's body that counts in what it has captured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  std::uint32_t sum = 0;
  void on(const tick&, perdure::block_context& ctx) const {
    // EXPECT-ERROR: what a region calls cannot be 'mutable'
    ctx.for_each<64>(*this, [c = 0U](tile& me, int i, int) mutable { me.v[i] += ++c; });
    // EXPECT-ERROR: what a region calls cannot be 'mutable'
    ctx.once(*this, [c = 1U](tile& me) mutable { me.sum += c++; });
  }
};
