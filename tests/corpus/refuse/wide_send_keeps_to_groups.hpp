// tests/corpus/refuse/wide_send_keeps_to_groups.hpp - refused: send, fail and stop in a region at whose end the block does
//   not meet, on any way to it; and keeps_to_groups of a region that is not to be seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct told {
  std::uint32_t n;
};
struct listener : perdure::actor<listener> {
  std::uint32_t sum = 0;
  void on(const told& m, perdure::context&) { sum += m.n; }
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {}, step = 0;
  perdure::ref<listener> ear;

  void tell(std::uint32_t n, perdure::block_context& ctx) const {
    // EXPECT-ERROR: 'send' is reached from a region at whose end the block does not meet
    ctx.send(ear, told{n});
  }
  void raise(perdure::block_context& ctx) const {
    ctx.for_each<64>(*this, [](tile& me, int i, int) { ++me.v[i]; });
  }
  void on(const tick& m, perdure::block_context& ctx) const {
    ctx.keeps_to_groups();
    ctx.for_each<64>(*this, [&](tile& me, int i, int) {
      // EXPECT-ERROR: 'send' cannot be called in a region at whose end the block does not meet
      ctx.send(me.ear, told{m.n});
      // EXPECT-ERROR: 'fail' cannot be called in a region at whose end the block does not meet
      if (i == 3) ctx.fail(1);
    });
    // what was said held for that region only
    ctx.for_each<64>(*this, [&](tile& me, int, int) { ctx.send(me.ear, told{m.n}); });
    if (m.n > 3) ctx.keeps_to_groups();
    ctx.then_each<64>(*this, [&](tile& me, int i, int) { me.tell(m.n + me.v[i], ctx); });
    ctx.then_once(*this, [&](tile& me) {
      ++me.step;
      // EXPECT-ERROR: 'stop' cannot be called in a region at whose end the block does not meet
      if (me.step == 9) ctx.stop();
    });
    for (std::uint32_t k = 0; k < m.n; ++k) {
      ctx.for_each<64>(*this, [&](tile& me, int, int) {
        // EXPECT-ERROR: 'send' cannot be called in a region at whose end the block does not meet
        ctx.send(me.ear, told{k});
      });
      switch (k) {
        case 3: ctx.keeps_to_groups(); continue;  // of the loop, not of the switch
        default: break;
      }
      ctx.for_each<64>(*this, [&](tile& me, int, int) { ctx.send(me.ear, told{k}); });
    }
    ctx.for_each<64>(*this, [](tile& me, int i, int) { ++me.v[i]; });
    for (std::uint32_t k = 0; k < m.n; ++k) {
      ctx.for_each<64>(*this, [&](tile& me, int, int) {
        // EXPECT-ERROR: 'send' cannot be called in a region at whose end the block does not meet
        ctx.send(me.ear, told{k});
      });
      // EXPECT-ERROR: 'keeps_to_groups' must be followed by its region in the same function
      if (k == 2) ctx.keeps_to_groups();
    }
    // EXPECT-ERROR: 'keeps_to_groups' must be followed by its region in the same function
    ctx.keeps_to_groups();
    raise(ctx);
  }
};
