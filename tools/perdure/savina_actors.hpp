// tools/perdure/savina_actors.hpp - programs of the Savina suite as ordinary small actors; count has
// a header of its own (savina_count_actors.hpp).
// Why: the suite is what actor libraries are compared by; each program checks its own messages as
// they come.
// Invariant: what is under way is bounded: a burst is followed by another only when the one before
// was acknowledged.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <perdure/actor.hpp>

#include "savina_outcome.hpp"
#include "savina_rules.hpp"

namespace savina {

/// Waits for `expected` reports of others and tells the host the sum; ready for another run then.
struct referee : perdure::actor<referee> {
  to_host host;
  std::uint32_t expected = 0, reports = 0;
  outcome sum{};
  void on(const outcome& m, perdure::context& ctx) {
    sum.done += m.done;
    sum.wrong += m.wrong;
    if (++reports < expected) return;
    ctx.send(host, sum);
    reports = 0;
    sum = {};
  }
};

// --- ping-pong: pairs of actors, one ball each

struct serve {
  std::uint32_t pings;
};
struct ping {
  std::uint32_t number;
};
struct pong {
  std::uint32_t mixed;
};

struct pinger;
struct ponger : perdure::actor<ponger> {
  std::uint64_t answered = 0;
  void on(const ping& m, perdure::context& ctx) {
    ++answered;
    ctx.send(perdure::ref_cast<pinger>(ctx.sender()), pong{pong_of(m.number)});
  }
};
struct pinger : perdure::actor<pinger> {
  perdure::ref<ponger> partner;
  perdure::ref<referee> tells;
  std::uint32_t pings = 0, number = 0, wrong = 0;
  void on(const serve& m, perdure::context& ctx) {
    pings = m.pings;
    number = wrong = 0;
    ctx.send(partner, ping{number});
  }
  void on(const pong& m, perdure::context& ctx) {
    wrong += m.mixed != pong_of(number) ? 1U : 0U;
    if (++number < pings) return ctx.send(partner, ping{number});
    ctx.send(tells, outcome{number, wrong});
  }
};

// --- big: each of many pings another one at random, and answers who pings it

struct mingle {
  std::uint64_t first;  ///< bits of the first member's reference
  std::uint32_t members, pings;
};

struct member : perdure::actor<member> {
  perdure::ref<referee> tells;
  std::uint32_t index = 0, walk = 0, number = 0, wrong = 0;
  std::uint64_t answered = 0;
  mingle job{};
  void on(const mingle& m, perdure::context& ctx) {
    job = m;
    walk = index;
    number = wrong = 0;
    send_ping(ctx);
  }
  void on(const ping& m, perdure::context& ctx) {
    ++answered;
    ctx.send(perdure::ref_cast<member>(ctx.sender()), pong{pong_of(m.number)});
  }
  void on(const pong& m, perdure::context& ctx) {
    wrong += m.mixed != pong_of(number) ? 1U : 0U;
    if (++number < job.pings) return send_ping(ctx);
    ctx.send(tells, outcome{number, wrong});
  }

 private:
  void send_ping(perdure::context& ctx) {
    walk = next_walk(walk);
    ctx.send(perdure::ref<member>{job.first + partner_of(walk, index, job.members)}, ping{number});
  }
};

// --- thread ring: one token round a ring

struct hop {
  std::uint64_t first;  ///< bits of the first hopper's reference
  std::uint32_t hoppers, left, value;
};

struct hopper : perdure::actor<hopper> {
  to_host host;
  std::uint32_t index = 0;
  std::uint64_t passes = 0;
  void on(const hop& m, perdure::context& ctx) {
    ++passes;
    const std::uint32_t value = passed(m.value, index);
    if (m.left == 0) return ctx.send(host, outcome{value, 0});
    const std::uint32_t next = index + 1 < m.hoppers ? index + 1 : 0;
    ctx.send(perdure::ref<hopper>{m.first + next}, hop{m.first, m.hoppers, m.left - 1, value});
  }
};

// --- banking: a teller orders transfers; who is credited confirms to who paid, and that one to the
// teller

struct account;
struct open_bank {
  std::uint64_t first;  ///< bits of the first account's reference
  std::uint32_t accounts, transfers, burst, window;
};
struct debit {
  perdure::ref<account> to;
  std::uint32_t cents, number;
};
struct deposit {
  std::uint32_t cents, number;
};
struct deposited {
  std::uint32_t number;
};
struct confirmed {
  std::uint32_t number;
};

/// Keeps at most burst * window transfers under way. Each number is confirmed once, so their sum is
/// known.
struct teller : perdure::actor<teller> {
  static constexpr bool hot = true;

  to_host host;
  std::uint32_t number = 0, done = 0;
  std::uint64_t numbers = 0;
  open_bank job{};
  void on(const open_bank& m, perdure::context& ctx) {
    job = m;
    number = done = 0;
    numbers = 0;
    ctx.send(ctx.self(*this), tick{});
  }
  void on(const tick&, perdure::context& ctx) {
    for (std::uint32_t i = 0; i < job.burst; ++i) order(ctx);
    if (number < job.transfers && number + job.burst - done <= job.burst * job.window)
      ctx.send(ctx.self(*this), tick{});
  }
  void on(const confirmed& m, perdure::context& ctx) {
    numbers += m.number;
    if (++done < job.transfers) return order(ctx);
    const std::uint64_t all = static_cast<std::uint64_t>(job.transfers) * (job.transfers - 1) / 2;
    ctx.send(host, outcome{done, numbers == all ? 0U : 1U});
  }

 private:
  void order(perdure::context& ctx) {
    if (number == job.transfers) return;
    const transfer t = transfer_of(number, job.accounts);
    ctx.send(perdure::ref<account>{job.first + t.from},
             debit{perdure::ref<account>{job.first + t.to}, t.cents, number});
    ++number;
  }
};
struct account : perdure::actor<account> {
  perdure::ref<teller> bank;
  std::int64_t cents = 0;
  void on(const debit& m, perdure::context& ctx) {
    cents -= m.cents;
    ctx.send(m.to, deposit{m.cents, m.number});
  }
  void on(const deposit& m, perdure::context& ctx) {
    cents += m.cents;
    ctx.send(perdure::ref_cast<account>(ctx.sender()), deposited{m.number});
  }
  void on(const deposited& m, perdure::context& ctx) { ctx.send(bank, confirmed{m.number}); }
};

}  // namespace savina
