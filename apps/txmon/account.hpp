// apps/txmon/account.hpp - the actor: one account, what it remembers, and the seven rules.
// Why: everything known about an account lives where its postings are handled; only alerts leave.
// Invariant: postings come in (event time, number) order; every window entry is younger than its window at the last
//            posting, so 32 bits of a time and 48 of a number are enough; only + - * / sqrt on doubles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>

#include <array>
#include <cmath>
#include <cstdint>

#include "rules.hpp"
#include "transaction.hpp"

namespace txmon {

/// A rule fired. `value` and `limit` are cents, a count, or for travel milliseconds; README.md says which.
struct alert {
  std::uint64_t number;  ///< of the transaction in hand
  std::int64_t time_ms;
  std::int64_t value;
  std::int64_t from_ms;  ///< where the window begins; time_ms if the rule has none
  double limit;
  std::uint32_t account;
  std::uint32_t counterparty;
  rule fired;
  severity level;
  std::uint8_t score;  ///< 0 .. 100, of all rules that fired on this posting
  side direction;
  reason why;
  std::uint8_t evidence_count;
  std::array<std::uint64_t, evidence_slots> evidence;  ///< transaction numbers, oldest first
};

/// The low 48 bits of a transaction number.
struct short_number {
  std::array<std::uint16_t, 3> part{};
};

struct account : perdure::actor<account> {
  // What every posting reads first comes first: one line of memory tells where to look in the others.
  perdure::ref<perdure::host<alert>> alerts;  ///< where alerts go
  std::int64_t last_ms = 0;                   ///< event time of the last posting
  std::uint32_t seen = 0, alerted = 0;
  std::uint8_t first = 0, recent = 0;  ///< of `times`: where the oldest is, how many there are
  std::uint8_t near_count = 0, credits = 0;
  std::uint8_t presence_country = 0, home = 0;
  short_number presence_number;
  terms by;
  std::uint64_t came_in = 0, went_out = 0;  ///< cents since the start
  double mean = 0, squares = 0;             ///< of all amounts seen, cents
  std::array<std::uint64_t, credit_slots> in_before{}, out_before{};  ///< totals before the credit
  std::int64_t presence_ms = 0;                       ///< of the last debit in person
  std::array<std::uint32_t, velocity_slots> times{};  ///< a ring from `first`
  std::array<std::uint32_t, structuring_slots> near_times{};
  std::array<std::uint32_t, credit_slots> credit_times{};
  std::array<short_number, evidence_slots> numbers{};  ///< a ring: posting i lies at i modulo 8
  std::array<short_number, structuring_slots> near_numbers{};
  std::array<short_number, credit_slots> credit_numbers{};

  static double ceiling_of(double mean, double squares, std::uint32_t seen,
                           std::uint32_t hundredths) {
    const double usual = std::sqrt(squares / static_cast<double>(seen));
    return mean + static_cast<double>(hundredths) / 100.0 * usual;
  }
  /// x > ceiling_of(...), to the last bit, but for most x without its divisions and its root: those take a fifth of a
  /// posting's time. What is certainly below: x up to the mean, since what is added to it is no less than 0 or no number;
  /// and x above it by less than 0.9996 times the exact addend. The ceiling is rounded by at most 7 / 2^53 of mean and
  /// addend, and with the mean at most 1e9 times what x is above it, 0.0004 of the addend is hundreds of times that.
  static bool exceeds(double x, double mean, double squares, std::uint32_t seen,
                      std::uint32_t hundredths) {
    const double above = x - mean;
    if (above <= 0) return false;
    const double factor = static_cast<double>(hundredths);
    if (above * above * (10'000.0 * static_cast<double>(seen)) <
            0.9992 * (factor * factor) * squares &&
        above * 1e9 > mean)
      return false;
    return x > ceiling_of(mean, squares, seen, hundredths);
  }

  /// New terms; a home that is not given leaves the one that was learnt.
  void on(const terms& m, perdure::context&) {
    by = m;
    if (m.who.home != 0) home = m.who.home;
  }

  void on(const transaction& t, perdure::context& ctx) {
    judgement j;
    j.debit = t.direction() == side::debit;
    j.time = t.when();
    j.number = t.number.get();
    j.cents = t.amount();
    (j.debit ? went_out : came_in) += static_cast<std::uint64_t>(j.cents);
    forget(j.time);
    judge_velocity(j);
    judge_amount(j);
    judge_structuring(j);
    if (j.debit && t.country != 0) judge_geography(j, t);
    if (by.who.pep && j.cents > std::int64_t{by.limits.pep_limit} * 100)
      j.set(rule::pep, severity::high);
    judge_deviation(j);
    judge_movement(j);
    report(j, t, ctx);
    learn(j, t);
  }

 private:
  /// Only what is dear to find again: what is live through all rules costs registers.
  struct judgement {
    bool debit = false;
    std::int64_t time = 0, cents = 0;
    std::uint64_t number = 0;
    reason why = reason::none;
    std::uint32_t levels = 0;  // two bits a rule: an array would lie in local memory

    void set(rule r, severity s) { levels |= static_cast<std::uint32_t>(s) << 2 * at(r); }
    severity level(std::uint32_t r) const { return static_cast<severity>(levels >> 2 * r & 3U); }
  };
  static constexpr unsigned at(rule r) { return static_cast<unsigned>(r); }
  static constexpr severity step(bool critical, bool high) {
    return critical ? severity::critical : high ? severity::high : severity::medium;
  }
  static std::uint32_t low(std::int64_t time) { return static_cast<std::uint32_t>(time); }
  static short_number shortened(std::uint64_t n) {
    return {{static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(n >> 16U),
             static_cast<std::uint16_t>(n >> 32U)}};
  }
  /// The number near `now` that has these low bits: numbers of a window differ by less than 2^47.
  static std::uint64_t whole(const short_number& s, std::uint64_t now) {
    const std::uint64_t bits = std::uint64_t{s.part[0]} | std::uint64_t{s.part[1]} << 16U |
                               std::uint64_t{s.part[2]} << 32U;
    const std::uint64_t behind = (now - bits) << 16U;
    return now - static_cast<std::uint64_t>(static_cast<std::int64_t>(behind) >> 16U);
  }

  /// Drops what has left its window.
  void forget(std::int64_t now) {
    if (now - last_ms > 0x7fffffff) recent = near_count = credits = 0;
    const std::uint32_t t = low(now);
    while (recent != 0 && t - times[first] >= by.limits.velocity_window_ms) drop_oldest();
    std::uint32_t gone = 0;
    while (gone != near_count && t - near_times[gone] >= by.limits.structuring_window_ms) ++gone;
    drop_near(gone);
    gone = 0;
    while (gone != credits && t - credit_times[gone] >= by.limits.rapid_window_ms) ++gone;
    drop_credits(gone);
  }
  void drop_oldest() {
    first = static_cast<std::uint8_t>(first + 1U == velocity_slots ? 0 : first + 1U);
    --recent;
  }
  void drop_near(std::uint32_t gone) {
    if (gone == 0) return;
    for (std::uint32_t i = gone; i < near_count; ++i) {
      near_times[i - gone] = near_times[i];
      near_numbers[i - gone] = near_numbers[i];
    }
    near_count = static_cast<std::uint8_t>(near_count - gone);
  }
  void drop_credits(std::uint32_t gone) {
    if (gone == 0) return;
    for (std::uint32_t i = gone; i < credits; ++i) {
      credit_times[i - gone] = credit_times[i];
      credit_numbers[i - gone] = credit_numbers[i];
      in_before[i - gone] = in_before[i];
      out_before[i - gone] = out_before[i];
    }
    credits = static_cast<std::uint8_t>(credits - gone);
  }

  void judge_velocity(judgement& j) {
    if (recent == velocity_slots) drop_oldest();
    times[(std::uint32_t{first} + recent) % velocity_slots] = low(j.time);
    ++recent;
    numbers[seen % evidence_slots] = shortened(j.number);
    const std::uint32_t limit = by.limits.velocity_limit;
    if (recent > limit) {
      j.set(rule::velocity, step(recent >= limit * by.limits.velocity_critical,
                                 recent >= limit * by.limits.velocity_high));
    }
  }
  void judge_amount(judgement& j) {
    const std::int64_t limit = std::int64_t{by.limits.amount_limit} * 100;
    if (j.debit && j.cents > limit) {
      j.set(rule::amount, step(j.cents >= limit * by.limits.amount_critical,
                               j.cents >= limit * by.limits.amount_high));
    }
  }
  void judge_structuring(judgement& j) {
    const std::int64_t limit = std::int64_t{by.limits.amount_limit} * 100;
    if (j.cents > limit || j.cents * 100 < limit * by.limits.structuring_percent) return;
    if (near_count == structuring_slots) drop_near(1);
    near_times[near_count] = low(j.time);
    near_numbers[near_count] = shortened(j.number);
    ++near_count;
    if (near_count >= by.limits.structuring_count) j.set(rule::structuring, severity::high);
  }
  void judge_geography(judgement& j, const transaction& t) {
    const auto here = static_cast<std::uint8_t>(t.country);
    if (home == 0) home = here;
    const bool moved = is_presence(t.via) && presence_country != 0 && presence_country != here;
    if (moved && j.time - presence_ms < by.limits.travel_window_ms) {
      j.why = reason::travel;
      j.set(rule::geography, severity::critical);
      return;
    }
    if (here == home) return;
    for (const std::uint8_t allowed : by.who.allowed)
      if (allowed == here) return;
    const bool listed = by.limits.is_high_risk(here);
    j.why = listed ? reason::high_risk : reason::foreign;
    j.set(rule::geography, step(false, listed));
  }
  double ceiling() const { return ceiling_of(mean, squares, seen, by.limits.deviation_hundredths); }
  void judge_deviation(judgement& j) {
    if (seen >= by.limits.deviation_count &&
        exceeds(static_cast<double>(j.cents), mean, squares, seen, by.limits.deviation_hundredths))
      j.set(rule::deviation, severity::medium);
  }
  std::uint64_t moved_in() const { return came_in - in_before[0]; }
  std::uint64_t moved_out() const { return went_out - out_before[0]; }
  void judge_movement(judgement& j) {
    if (!j.debit) {
      if (credits == credit_slots) drop_credits(1);
      credit_times[credits] = low(j.time);
      credit_numbers[credits] = shortened(j.number);
      in_before[credits] = came_in - static_cast<std::uint64_t>(j.cents);
      out_before[credits] = went_out;
      ++credits;
      return;
    }
    if (credits == 0) return;
    if (moved_in() >= std::uint64_t{by.limits.rapid_least} * 100 &&
        moved_out() >= (moved_in() * by.limits.rapid_percent + 99) / 100)
      j.set(rule::rapid_movement, severity::high);
  }

  void report(const judgement& j, const transaction& t, perdure::context& ctx) {
    std::uint32_t score = 0;
    for (std::uint32_t r = 0; r < rule_count; ++r) {
      if (j.level(r) != severity::none)
        score += weights[r] * (1U + static_cast<std::uint32_t>(j.level(r))) / 2U;
    }
    if (score == 0) return;
    for (std::uint32_t r = 0; r < rule_count; ++r) {
      if (j.level(r) == severity::none) continue;
      alert a{};
      a.number = j.number;
      a.time_ms = a.from_ms = j.time;
      a.account = j.debit ? t.account.get() : t.counterparty.get();
      a.counterparty = j.debit ? t.counterparty.get() : t.account.get();
      a.fired = static_cast<rule>(r);
      a.level = j.level(r);
      a.score = static_cast<std::uint8_t>(score < 100 ? score : 100);
      a.direction = t.direction();
      explain(j, t.country, a);
      ++alerted;
      ctx.send(alerts, a);
    }
    if (j.level(at(rule::rapid_movement)) != severity::none) credits = 0;
  }

  void cite(alert& a, std::uint64_t number) const {
    a.evidence[a.evidence_count % evidence_slots] = number;
    ++a.evidence_count;
  }
  /// Value, limit, window and evidence of one rule.
  void explain(const judgement& j, std::uint16_t country, alert& a) const {
    const auto since = [&](std::uint32_t then) {
      return j.time - std::int64_t{low(j.time) - then};
    };
    a.value = j.cents;
    switch (a.fired) {
      case rule::velocity: {
        a.value = recent;
        a.limit = by.limits.velocity_limit;
        a.from_ms = since(times[first]);
        const std::uint32_t n = recent < evidence_slots ? recent : evidence_slots;
        for (std::uint32_t i = 0; i < n; ++i)
          cite(a, whole(numbers[(seen + 1U + i - n) % evidence_slots], j.number));
        return;
      }
      case rule::structuring:
        a.value = near_count;
        a.limit = by.limits.structuring_count;
        a.from_ms = since(near_times[0]);
        for (std::uint32_t i = 0; i < near_count; ++i) cite(a, whole(near_numbers[i], j.number));
        return;
      case rule::geography:
        a.value = country;
        if (j.why == reason::travel) {
          a.value = j.time - presence_ms;
          a.limit = by.limits.travel_window_ms;
          a.from_ms = presence_ms;
          cite(a, whole(presence_number, j.number));
        }
        a.why = j.why;
        break;
      case rule::rapid_movement:
        a.value = static_cast<std::int64_t>(moved_out());
        a.limit = static_cast<double>(moved_in()) * by.limits.rapid_percent / 100.0;
        a.from_ms = since(credit_times[0]);
        for (std::uint32_t i = 0; i < credits; ++i) cite(a, whole(credit_numbers[i], j.number));
        break;
      case rule::amount:
        a.limit = static_cast<double>(by.limits.amount_limit) * 100.0;
        break;
      case rule::pep:
        a.limit = static_cast<double>(by.limits.pep_limit) * 100.0;
        break;
      case rule::deviation:
        a.limit = ceiling();
        break;
    }
    cite(a, j.number);
  }

  /// Welford's update of mean and squares, and what the next posting is compared with.
  void learn(const judgement& j, const transaction& t) {
    const double x = static_cast<double>(j.cents);
    ++seen;
    const double before = x - mean;
    mean += before / static_cast<double>(seen);
    squares += before * (x - mean);
    last_ms = j.time;
    if (j.debit && t.country != 0 && is_presence(t.via)) {
      presence_country = static_cast<std::uint8_t>(t.country);
      presence_ms = j.time;
      presence_number = shortened(j.number);
    }
  }
};

static_assert(sizeof(account) <= 448, "an account must fit into one actor slot");

}  // namespace txmon
