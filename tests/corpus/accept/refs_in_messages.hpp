// tests/corpus/accept/refs_in_messages.hpp - references travel in messages: tables of refs, null tests, equality, self, sender.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct friend_actor;

struct introduce {
  std::array<perdure::ref<friend_actor>, 3> who;
  std::uint8_t hops;
};
struct hello {
  perdure::any_ref from;
  perdure::ref<friend_actor> reply_to;
};
struct thanks {
  std::uint32_t weight;
};

struct friend_actor : perdure::actor<friend_actor> {
  std::array<perdure::ref<friend_actor>, 3> known{};
  perdure::any_ref last_sender;
  std::uint32_t met = 0, myself = 0, from_host = 0, thanked = 0;

  void on(const introduce& m, perdure::context& ctx) {
    known = m.who;
    if (!ctx.sender()) ++from_host;
    for (const auto& r : known) {
      if (!r) continue;
      if (r == ctx.self(*this)) ++myself;
      ctx.send(r, hello{ctx.self(*this), ctx.self(*this)});
    }
    if (m.hops % 3U == 1U && known[0] != known[1]) {
      ctx.send(known[0], introduce{{known[1], known[2], ctx.self(*this)}, 0});
    }
  }
  void on(const hello& m, perdure::context& ctx) {
    ++met;
    last_sender = ctx.sender();
    ctx.send(m.reply_to, thanks{m.from == ctx.sender() ? 1U : 100U});
  }
  void on(const thanks& m, perdure::context&) { thanked += m.weight; }
};
