// tests/contract/actors/talk.hpp - talkers in small groups, who check the contract wherever they are moved.
// Why: whom a talker talks to depends on no schedule, so two runs of the same talk are the same traffic.
// Invariant: neighbours by index are a group, so arithmetic puts them at different workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include <perdure/actor.hpp>

namespace talk {

inline constexpr std::uint32_t population = 24, group = 4;
inline constexpr std::uint32_t hosts = 3;  ///< host threads, each a sender of its own

struct word {
  std::uint32_t from;    ///< who says it: a talker's number, or population + the host thread
  std::uint32_t number;  ///< of what this pair has said, from 1
  std::uint32_t hops;    ///< words that follow it
  std::uint32_t value;   ///< decides who is next
  perdure::hlc before;   ///< of an event before the send
};
struct question {};
struct answer {
  std::uint32_t own;
  std::uint64_t heard;
};
struct wake_up {};
struct sleep_for {
  std::uint64_t ns;
};
struct chatter {};  ///< is passed on for ever
struct hush {};     ///< until this
struct leave {};
struct draw {
  std::uint32_t stamps;  ///< 65,536 take a worker's clock a microsecond ahead
};

/// Anybody of the group, itself too.
constexpr std::uint32_t next_of(std::uint32_t own, std::uint32_t value) {
  return own / group * group + value % group;
}
constexpr std::uint32_t next_value(std::uint32_t value) {
  return (value * 1664525U + 1013904223U) >> 3U ^ value << 17U;
}

struct talker : perdure::actor<talker> {
  perdure::ref<talker> first;
  std::uint32_t own = 0;
  std::uint32_t out_of_order = 0;
  std::uint32_t out_of_time = 0;
  std::uint32_t woken = 0;
  std::uint64_t heard = 0;  ///< words
  std::uint64_t sum = 0;
  std::uint64_t others = 0;  ///< messages that are no words
  bool quiet = false;
  perdure::hlc last;
  std::array<std::uint32_t, population> said{};
  std::array<std::uint32_t, population + hosts> got{};

  void on(const word& m, perdure::context& ctx) {
    watch_time(m.before, ctx);
    if (m.number != got[m.from] + 1) ++out_of_order;
    got[m.from] = m.number;
    ++heard;
    sum += m.value;
    if (m.hops == 0) return;
    const std::uint32_t to = next_of(own, m.value);
    const perdure::hlc now = ctx.now();
    ctx.send(perdure::ref<talker>{first.bits + to},
             word{own, ++said[to], m.hops - 1, next_value(m.value), now});
    last = ctx.now();
  }
  void on(const question&, perdure::context& ctx) {
    ++others;
    ctx.reply(answer{own, heard});
  }
  void on(const sleep_for& m, perdure::context& ctx) {
    ++others;
    ctx.after(std::chrono::nanoseconds{m.ns}, ctx.self(*this), wake_up{});
  }
  void on(const wake_up&, perdure::context& ctx) {
    const perdure::hlc now = ctx.now();
    out_of_time += last < now ? 0 : 1;
    last = now;
    ++others;
    ++woken;
  }
  void on(const chatter&, perdure::context& ctx) {
    ++others;
    if (!quiet)
      ctx.send(perdure::ref<talker>{first.bits + own / group * group + (own + 1) % group},
               chatter{});
  }
  void on(const hush&, perdure::context&) {
    ++others;
    quiet = true;
  }
  void on(const draw& m, perdure::context& ctx) {
    ++others;
    for (std::uint32_t i = 0; i < m.stamps; ++i) last = ctx.now();
  }
  void on(const leave&, perdure::context& ctx) {
    ++others;
    ctx.stop();
  }

 private:
  void watch_time(perdure::hlc before, perdure::context& ctx) {
    const perdure::hlc now = ctx.now();
    out_of_time += before < now && last < now ? 0 : 1;
    last = now;
  }
};

}  // namespace talk
