// tests/corpus/refuse/wide_event_in_region.hpp - refused: reply, after, now and log inside regions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  void on(const tick& m, perdure::block_context& ctx) const {
    ctx.for_each<64>(*this, [&](tile& me, int i, int) {
      // EXPECT-ERROR: 'reply' cannot be called inside a region
      if (i == 0) ctx.reply(tick{m.n});
      // EXPECT-ERROR: 'after' cannot be called inside a region
      if (i == 1) ctx.after(std::chrono::microseconds{5}, ctx.self(*this), tick{m.n});
      // EXPECT-ERROR: 'now' cannot be called inside a region
      if (ctx.now() == ctx.now()) me.v[i] += m.n;
      // EXPECT-ERROR: 'log' cannot be called inside a region
      ctx.log("i={}", i);
    });
  }
};
