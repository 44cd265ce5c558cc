// tests/contract/actors/crowd.hpp - a crowd whose members check the contract as they run.
// Why: one program for every backend: what a walker takes depends on no schedule, so that a
//      plain loop knows it beforehand.
// Invariant: a walker writes down what it breaks and never acts upon it; sums and counts do
//            not depend on order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include <perdure/actor.hpp>

namespace crowd {

inline constexpr std::uint32_t population = 12;
inline constexpr std::uint32_t hosts = 4;  ///< host threads, each a sender of its own

struct step {
  std::uint32_t from;    ///< who sent it: a walker's place, or population + the host thread
  std::uint32_t number;  ///< of what this pair has sent, from 1
  std::uint32_t hops;    ///< steps that follow it
  std::uint32_t value;   ///< decides who is next
  bool tells;            ///< the hot one writes to the host for each such step
  perdure::hlc before;   ///< of an event before the send
};
struct question {
  std::uint32_t number;
  perdure::hlc before;
};
struct answer {
  std::uint32_t number;
  perdure::hlc at;
};
struct ignored {};  ///< a question that nobody answers
struct leave {};
struct note {
  std::uint32_t number;
  perdure::hlc before;
};

/// Where a step goes: half of all to the hot one, a quarter round the cycle, the rest anywhere.
constexpr std::uint32_t next_of(std::uint32_t own, std::uint32_t value) {
  if (value % 2 == 0) return 0;
  return value % 4 == 1 ? (own + 1) % population : value / 4 % population;
}
constexpr std::uint32_t next_value(std::uint32_t value) {
  return (value * 1664525U + 1013904223U) >> 3U ^ value << 17U;
}

struct walker : perdure::actor<walker> {
  perdure::ref<walker> first;
  perdure::ref<perdure::host<note>> desk;
  std::uint32_t own = 0;
  std::uint32_t handled = 0;  ///< steps; an update that another call overwrites is missing here
  std::uint32_t out_of_order = 0;
  std::uint32_t out_of_time = 0;
  std::uint32_t notes = 0;
  std::uint32_t answered = 0;  ///< messages that are not steps
  std::uint64_t sum = 0;
  perdure::hlc last;
  std::array<std::uint32_t, population> sent{};
  std::array<std::uint32_t, population + hosts> got{};

  void on(const step& m, perdure::context& ctx) {
    const std::uint32_t before = handled;  // read here and written at the end: see `handled`
    watch_time(m.before, ctx);
    if (m.number != got[m.from] + 1) ++out_of_order;
    got[m.from] = m.number;
    sum += m.value;
    if (m.hops != 0) {
      const std::uint32_t to = next_of(own, m.value);
      const perdure::hlc now = ctx.now();
      ctx.send(perdure::ref<walker>{first.bits + to},
               step{own, ++sent[to], m.hops - 1, next_value(m.value), m.tells, now});
    }
    if (own == 0 && m.tells) {
      const perdure::hlc now = ctx.now();
      ctx.send(desk, note{++notes, now});
    }
    last = ctx.now();
    handled = before + 1;
  }
  void on(const question& m, perdure::context& ctx) {
    watch_time(m.before, ctx);
    ++answered;
    ctx.reply(answer{m.number + 1, last});
  }
  void on(const ignored&, perdure::context&) { ++answered; }
  void on(const leave&, perdure::context& ctx) {
    ++answered;
    ctx.stop();
  }

 private:
  void watch_time(perdure::hlc before, perdure::context& ctx) {
    const perdure::hlc now = ctx.now();
    out_of_time += before < now && last < now ? 0 : 1;
    last = now;
  }
};

/// A message of which two more come, until the depth is reached: more than the stocks can hold.
struct spark {
  std::uint32_t depth;
  std::array<std::uint32_t, 10> fill;
};
struct splitter : perdure::actor<splitter> {
  perdure::ref<splitter> first;
  std::uint64_t handled = 0;
  std::uint64_t sent = 0;
  std::uint32_t torn = 0;

  void on(const spark& m, perdure::context& ctx) {
    ++handled;
    for (const std::uint32_t word : m.fill) torn += word != m.depth ? 1 : 0;
    if (m.depth == 0) return;
    spark next{m.depth - 1, {}};
    next.fill.fill(next.depth);
    for (int i = 0; i < 2; ++i) {
      ++sent;
      ctx.send(perdure::ref<splitter>{first.bits + ctx.random() % population}, next);
    }
  }
};

struct baton {
  std::uint32_t number;
  std::uint32_t position;
  std::uint32_t legs;  ///< that follow this one
};
struct leg {
  std::uint32_t baton;
  std::uint32_t position;
  std::uint32_t written;  ///< letters that its sender has written, this one too
};
struct runner : perdure::actor<runner> {
  perdure::ref<runner> first;
  perdure::ref<perdure::host<leg>> desk;
  std::uint32_t written = 0;
  void on(const baton& m, perdure::context& ctx) {
    ctx.send(desk, leg{m.number, m.position, ++written});
    if (m.legs == 0) return;
    ctx.send(perdure::ref<runner>{first.bits + ctx.random() % population},
             baton{m.number, m.position + 1, m.legs - 1});
  }
};

struct draw {
  std::uint64_t calls;  ///< that follow this one
  std::uint64_t stamps;
};
struct stamper : perdure::actor<stamper> {
  perdure::hlc last;
  std::uint64_t drawn = 0;
  std::uint64_t not_after_the_last = 0;
  void on(const draw& m, perdure::context& ctx) {
    for (std::uint64_t i = 0; i < m.stamps; ++i) {
      const perdure::hlc now = ctx.now();
      not_after_the_last += last < now ? 0 : 1;
      last = now;
    }
    drawn += m.stamps;
    if (m.calls != 0) ctx.send(ctx.self(*this), draw{m.calls - 1, m.stamps});
  }
};

struct ball {
  std::uint32_t number;  ///< of what this pair has thrown, from 1
  bool from_host;
};
struct alarm {};
struct set_alarm {
  std::uint64_t after_ns;
};
struct hold {};  ///< balls that come from now on are kept
/// Throws what it catches: rings of these are never empty until they hold.
struct juggler : perdure::actor<juggler> {
  perdure::ref<juggler> to;
  std::uint64_t caught = 0;
  std::uint32_t thrown = 0;
  std::uint32_t came = 0;  ///< number of the last ball that no host threw
  std::uint32_t kept = 0;
  std::uint32_t out_of_order = 0;
  std::uint32_t rung = 0;
  bool holds = false;

  void on(const ball& b, perdure::context& ctx) {
    ++caught;
    if (!b.from_host && b.number != ++came) ++out_of_order;
    if (holds) {
      ++kept;
    } else {
      ctx.send(to, ball{++thrown, false});
    }
  }
  void on(const question& q, perdure::context& ctx) { ctx.reply(answer{q.number + 1, ctx.now()}); }
  void on(const set_alarm& s, perdure::context& ctx) {
    ctx.after(std::chrono::nanoseconds{s.after_ns}, ctx.self(*this), alarm{});
  }
  void on(const alarm&, perdure::context&) { ++rung; }
  void on(const hold&, perdure::context&) { holds = true; }
};

}  // namespace crowd
