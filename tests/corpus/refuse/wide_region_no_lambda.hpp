// tests/corpus/refuse/wide_region_no_lambda.hpp - refused: a region whose body is a function object or a
//   lambda kept in a variable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct clear {
  template <class T>
  void operator()(T& me, int i, int) const { me.v[i] = 0; }
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  void on(const tick& m, perdure::block_context& ctx) const {
    const auto body = [&](tile& me, int i, int) { me.v[i] += m.n; };
    // EXPECT-ERROR: the body of a region must be a lambda written in the call of 'for_each'
    ctx.for_each<64>(*this, body);
    // EXPECT-ERROR: the body of a region must be a lambda written in the call of 'for_each'
    ctx.for_each<64>(*this, clear{});
  }
};
