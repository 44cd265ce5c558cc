// tests/corpus/accept/wide_uniform_events.hpp - reply, after, log, now, self and sender outside regions;
//   each acts once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include <perdure/actor.hpp>

using namespace std::chrono_literals;

struct ping {
  std::uint8_t hops;
};
struct pong {
  std::uint32_t pongs;
};
struct alarm_of {
  std::uint32_t number;
};

struct sonar : perdure::block_actor<sonar> {
  static constexpr int lanes = 64;
  perdure::ref<sonar> other;
  std::uint32_t pings = 0, alarms = 0, myself = 0, asked_by_actor = 0, rises = 0;
  float depth[64] = {};

  void on(const ping& m, perdure::block_context& ctx) const {
    const bool me_again = other == ctx.self(*this), by_actor = static_cast<bool>(ctx.sender());
    const auto before = ctx.now(), later = ctx.now();
    ctx.once(*this, [&](sonar& me) {
      ++me.pings;
      me.myself += me_again ? 1U : 0U;
      me.asked_by_actor += by_actor ? 1U : 0U;
      me.rises += before < later ? 1U : 0U;
    });
    ctx.reply(pong{pings});
    ctx.log("ping {} of {}", pings, m.hops);
    if (m.hops % 4U > 0) {
      ctx.send(other, ping{static_cast<std::uint8_t>(m.hops % 4U - 1U)});
      ctx.after(20us, ctx.self(*this), alarm_of{m.hops});
    }
  }
  void on(const alarm_of& m, perdure::block_context& ctx) const {
    ctx.for_each<64>(*this, [&](sonar& me, int i, int) { me.depth[i] += static_cast<float>(m.number) * 0.1F; });
    ctx.once(*this, [](sonar& me) { ++me.alarms; });
  }
};
