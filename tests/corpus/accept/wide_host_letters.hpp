// tests/corpus/accept/wide_host_letters.hpp - wide actors that write to host mailboxes, from regions and
//   outside, and answer an ask.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: letters are hashed in any order; states are the receivers' own
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct watch {
  std::int32_t above;
};
struct peak {
  std::uint32_t index;
  std::int32_t value;
};
struct summary {
  std::int64_t sum;
};
struct set_out {
  perdure::ref<perdure::host<peak, summary>> to;
};

struct watcher : perdure::block_actor<watcher> {
  static constexpr int lanes = 64;
  perdure::ref<perdure::host<peak, summary>> out;
  std::int32_t v[100] = {};

  void on(const set_out& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](watcher& me) { me.out = m.to; });
  }
  void on(const watch& m, perdure::block_context& ctx) const {
    ctx.for_each<100>(*this, [&](watcher& me, int i, int) {
      me.v[i] = (me.v[i] * 5 + m.above + i) % 97;
      if (me.v[i] > 90) ctx.send(me.out, peak{static_cast<std::uint32_t>(i), me.v[i]});
    });
    const auto sum = ctx.reduce<100>(
        *this, std::int64_t{0}, [](const watcher& me, int i) { return std::int64_t{me.v[i]}; },
        [](std::int64_t a, std::int64_t b) { return a + b; });
    ctx.send(out, summary{sum});
    ctx.reply(summary{-sum});
  }
};
