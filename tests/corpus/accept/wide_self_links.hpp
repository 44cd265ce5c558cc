// tests/corpus/accept/wide_self_links.hpp - actors whose ports can be linked to themselves; a firing reads
//   what the one before has written.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: links and joined handlers; the host's messages come one at a time
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct run_for {
  std::uint16_t firings;
};
struct tick {
  std::uint16_t left;
};

struct clockwork : perdure::block_actor<clockwork> {
  static constexpr int lanes = 32;
  enum class port { self };
  std::int32_t hand[33] = {};
  perdure::per_lane<std::int32_t> lag;
  std::uint32_t ticks = 0;

  void on(const run_for& m, perdure::block_context& ctx) const { next(m.firings % 20U, ctx); }
  void on(const perdure::joined<tick>& in, perdure::block_context& ctx) const {
    const std::uint32_t left = in[port::self].left;
    ctx.for_each<33>(*this, [&](clockwork& me, int i, int k) {
      const std::int32_t before = me.hand[i];
      me.hand[i] = (before + me.lag(ctx) + k + 1) % 9973;
      me.lag(ctx) = before;
    });
    ctx.once(*this, [](clockwork& me) { ++me.ticks; });
    if (left > 0) next(left - 1, ctx);
  }
  void next(std::uint32_t left, perdure::block_context& ctx) const {
    const auto out = ctx.open<tick>(port::self);
    ctx.once(*this, [&](clockwork&) { out->left = static_cast<std::uint16_t>(left); });
    ctx.commit(out);
  }
};
