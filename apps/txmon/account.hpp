// apps/txmon/account.hpp - the actor: one account, its balance, its recent past, and the three rules.
// Why: everything known about an account lives where its postings are handled; only alerts leave.
// Invariant: times[tail .. head) modulo window_slots are the postings inside the window, oldest first;
//            only + - * / sqrt on doubles, so CPU and GPU agree bit for bit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>

#include <array>
#include <cmath>
#include <cstdint>

#include "rules.hpp"

namespace txmon {

/// One half of a transaction, as the account at that end sees it.
struct posting {
  std::uint64_t sequence;      ///< of the transaction, from 1, in the order of the input
  std::int64_t time_ms;        ///< event time; never goes back
  std::int64_t cents;          ///< amount, not negative
  std::uint32_t counterparty;  ///< dense id of the account at the other end
  side direction;
};

/// A rule fired. `value` and `limit` are cents, or for velocity a count of postings.
struct alert {
  std::uint64_t sequence;
  std::int64_t time_ms;
  std::int64_t value;
  double limit;
  std::uint32_t account;
  rule fired;
  side direction;
};

struct account : perdure::actor<account> {
  perdure::ref<perdure::host<alert>> alerts;  ///< where alerts go
  rules limits;
  std::array<std::int64_t, window_slots> times{};  ///< ring of posting times, ms
  std::int64_t balance_cents = 0;                  ///< credits minus debits since the start
  double mean_cents = 0;                           ///< of all amounts seen
  double squares = 0;                              ///< sum of squared differences from the mean
  std::uint32_t id = 0;                            ///< dense, by first appearance in the input
  std::uint32_t head = 0, tail = 0;
  std::uint32_t seen = 0;     ///< postings handled
  std::uint32_t alerted = 0;  ///< alerts sent

  void on(const posting& p, perdure::context& ctx) {
    if (p.direction == side::debit && p.cents > limits.amount_limit_cents) {
      raise(p, rule::amount, p.cents, static_cast<double>(limits.amount_limit_cents), ctx);
    }
    const std::uint32_t recent = remember(p.time_ms);
    if (recent > limits.velocity_limit) {
      raise(p, rule::velocity, recent, static_cast<double>(limits.velocity_limit), ctx);
    }
    const double x = static_cast<double>(p.cents);
    if (seen >= limits.deviation_min_count) {
      const double usual = std::sqrt(squares / static_cast<double>(seen));
      const double ceiling = mean_cents + limits.deviation_factor * usual;
      if (x > ceiling) raise(p, rule::deviation, p.cents, ceiling, ctx);
    }
    learn(x);
    move(p);
  }

 private:
  /// Puts a time into the window, drops those that left it. @return how many it now holds.
  std::uint32_t remember(std::int64_t now_ms) {
    while (tail != head && times[tail % window_slots] <= now_ms - limits.velocity_window_ms) ++tail;
    if (head - tail == window_slots) ++tail;
    times[head % window_slots] = now_ms;
    ++head;
    return head - tail;
  }

  /// Welford's update of mean and squares.
  void learn(double x) {
    ++seen;
    const double before = x - mean_cents;
    mean_cents += before / static_cast<double>(seen);
    squares += before * (x - mean_cents);
  }

  void move(const posting& p) { balance_cents += p.direction == side::credit ? p.cents : -p.cents; }

  void raise(const posting& p, rule fired, std::int64_t value, double limit,
             perdure::context& ctx) {
    ++alerted;
    ctx.send(alerts, alert{p.sequence, p.time_ms, value, limit, id, fired, p.direction});
  }
};

static_assert(sizeof(account) <= 448, "an account must fit into one actor slot");

}  // namespace txmon
