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

/// Where an account's windows begin and how full they are, with two countries: in a state one word of eight bytes, in hand
/// values of the size that registers have.
struct places {
  std::uint32_t first, recent;          ///< of `times`: where the oldest is, how many there are
  std::uint32_t near_first, nears;      ///< of `near_times`
  std::uint32_t credit_first, credits;  ///< of `credit_times`
  std::uint32_t presence_country, home;

  static places of(std::uint64_t bits) {
    const auto low = static_cast<std::uint32_t>(bits);
    const auto high = static_cast<std::uint32_t>(bits >> 32U);
    return {low & 255U,  low >> 8U & 255U,  low >> 16U & 255U,  low >> 24U,
            high & 255U, high >> 8U & 255U, high >> 16U & 255U, high >> 24U};
  }
  std::uint64_t bits() const {
    const std::uint32_t low = first | recent << 8U | near_first << 16U | nears << 24U;
    const std::uint32_t high =
        credit_first | credits << 8U | presence_country << 16U | home << 24U;
    return low | std::uint64_t{high} << 32U;
  }

  /// Place `i` of a ring of `slots`; i below twice as many.
  static std::uint32_t wrapped(std::uint32_t i, std::uint32_t slots) {
    return i >= slots ? i - slots : i;
  }
  std::uint32_t time_at(std::uint32_t i) const { return wrapped(first + i, velocity_slots); }
  std::uint32_t near_at(std::uint32_t i) const {
    return wrapped(near_first + i, structuring_slots);
  }
  std::uint32_t credit_at(std::uint32_t i) const { return wrapped(credit_first + i, credit_slots); }
  void drop_time() {
    first = time_at(1);
    --recent;
  }
  void drop_near() {
    near_first = near_at(1);
    --nears;
  }
  void drop_credit() {
    credit_first = credit_at(1);
    --credits;
  }
};

struct account : perdure::actor<account> {
  // What every posting reads first comes first: one line of memory tells where to look in the others.
  perdure::ref<perdure::host<alert>> alerts;  ///< where alerts go
  std::int64_t last_ms = 0;                   ///< event time of the last posting
  std::uint32_t seen = 0, alerted = 0;
  std::uint64_t places_bits = 0;  ///< of `places`
  short_number presence_number;
  terms by;
  std::uint64_t came_in = 0, went_out = 0;  ///< cents since the start
  double mean = 0, squares = 0;             ///< of all amounts seen, cents
  std::array<std::uint64_t, credit_slots> in_before{}, out_before{};  ///< totals before the credit
  std::int64_t presence_ms = 0;                       ///< of the last debit in person
  std::array<std::uint32_t, velocity_slots> times{};  ///< rings, each from its first place
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

  places where() const { return places::of(places_bits); }

  /// Before the first posting.
  void begin(const terms& m) {
    by = m;
    places at = where();
    at.home = m.who.home;
    put(at);
  }

  /// New terms; a home that is not given leaves the one that was learnt.
  void on(const terms& m, perdure::context&) {
    by = m;
    if (m.who.home == 0) return;
    places at = where();
    at.home = m.who.home;
    put(at);
  }

  /// What waits for nothing is read first, and written when nothing is read any more: a handler that writes a member and
  /// then reads another waits for memory there, since for all the compiler knows they may be the same (docs/adr/044).
  void on(const transaction& t, perdure::context& ctx) {
    places at = where();
    const window_ends oldest = ends_of(at);
    const rules& limits = by.limits;
    const std::int64_t before_ms = last_ms;
    const std::uint32_t velocity_limit = limits.velocity_limit;
    const std::uint64_t amount_limit = std::uint64_t{limits.amount_limit} * 100;
    const std::uint32_t near_percent = limits.structuring_percent;
    const std::uint64_t pep_limit = std::uint64_t{limits.pep_limit} * 100;
    const std::uint32_t hundredths = limits.deviation_hundredths, least = limits.deviation_count;
    const bool pep = by.who.pep;
    const std::uint32_t count = seen;
    const double usual = mean, spread = squares;
    std::uint64_t in = came_in, out = went_out;

    judgement j;
    j.debit = t.direction() == side::debit;
    j.time = t.when();
    j.number = t.number.get();
    j.cents = t.amount();
    const auto cents = static_cast<std::uint64_t>(j.cents);
    in += j.debit ? 0 : cents;
    out += j.debit ? cents : 0;
    if (j.time - before_ms > 0x7fffffff) at.recent = at.nears = at.credits = 0;
    forget(at, oldest, low(j.time));

    if (at.recent == velocity_slots) at.drop_time();
    const std::uint32_t place = at.time_at(at.recent);
    ++at.recent;
    if (at.recent > velocity_limit) j.set(rule::velocity, velocity_level(at.recent));
    if (cents > amount_limit) {
      if (j.debit) j.set(rule::amount, amount_level(cents));
    } else if (cents * 100 >= amount_limit * near_percent) {
      keep_near(at, j);
    }
    if (j.debit && t.country != 0) judge_geography(at, j, t);
    if (pep && cents > pep_limit) j.set(rule::pep, severity::high);
    const double x = static_cast<double>(j.cents);
    if (count >= least && exceeds(x, usual, spread, count, hundredths))
      j.set(rule::deviation, severity::medium);
    if (!j.debit) {
      keep_credit(at, j, in, out);
    } else if (at.credits != 0) {
      judge_movement(at, j, in, out);
    }

    times[place] = low(j.time);
    numbers[count % evidence_slots] = shortened(j.number);
    came_in = in;
    went_out = out;
    if (j.levels != 0) report(at, j, t, ctx);
    learn(j, x, usual, spread, count);
    if (j.debit && t.country != 0 && is_presence(t.via)) {
      at.presence_country = static_cast<std::uint8_t>(t.country);
      presence_ms = j.time;
      presence_number = shortened(j.number);
    }
    put(at);
  }

 private:
  /// Only what is dear to find again: what is live through all rules costs registers.
  struct judgement {
    bool debit = false;
    std::int64_t time = 0, cents = 0;
    std::uint64_t number = 0;
    reason why = reason::none;
    std::uint32_t levels = 0;  // two bits a rule: an array would lie in local memory

    void set(rule r, severity s) { levels |= static_cast<std::uint32_t>(s) << 2 * index_of(r); }
    severity level(std::uint32_t r) const { return static_cast<severity>(levels >> 2 * r & 3U); }
  };
  static constexpr unsigned index_of(rule r) { return static_cast<unsigned>(r); }
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

  void put(const places& at) { places_bits = at.bits(); }

  /// Times of the oldest entries, and how long they stay.
  struct window_ends {
    std::uint32_t time, near, credit, time_window, near_window, credit_window;
  };
  window_ends ends_of(const places& at) const {
    return {times[at.first],
            near_times[at.near_first],
            credit_times[at.credit_first],
            by.limits.velocity_window_ms,
            by.limits.structuring_window_ms,
            by.limits.rapid_window_ms};
  }
  /// Drops what has left its window.
  void forget(places& at, const window_ends& oldest, std::uint32_t now) const {
    for (std::uint32_t then = oldest.time; at.recent != 0 && now - then >= oldest.time_window;
         then = times[at.first])
      at.drop_time();
    for (std::uint32_t then = oldest.near; at.nears != 0 && now - then >= oldest.near_window;
         then = near_times[at.near_first])
      at.drop_near();
    for (std::uint32_t then = oldest.credit; at.credits != 0 && now - then >= oldest.credit_window;
         then = credit_times[at.credit_first])
      at.drop_credit();
  }

  severity velocity_level(std::uint32_t recent) const {
    const std::uint32_t limit = by.limits.velocity_limit;
    return step(recent >= limit * by.limits.velocity_critical,
                recent >= limit * by.limits.velocity_high);
  }
  severity amount_level(std::uint64_t cents) const {
    const std::uint64_t limit = std::uint64_t{by.limits.amount_limit} * 100;
    return step(cents >= limit * by.limits.amount_critical, cents >= limit * by.limits.amount_high);
  }
  /// An amount just under the limit.
  void keep_near(places& at, judgement& j) {
    if (at.nears == structuring_slots) at.drop_near();
    const std::uint32_t place = at.near_at(at.nears);
    near_times[place] = low(j.time);
    near_numbers[place] = shortened(j.number);
    ++at.nears;
    if (at.nears >= by.limits.structuring_count) j.set(rule::structuring, severity::high);
  }
  void judge_geography(places& at, judgement& j, const transaction& t) const {
    const std::uint32_t here = static_cast<std::uint8_t>(t.country);
    if (at.home == 0) at.home = here;
    const bool moved =
        is_presence(t.via) && at.presence_country != 0 && at.presence_country != here;
    if (moved && j.time - presence_ms < by.limits.travel_window_ms) {
      j.why = reason::travel;
      j.set(rule::geography, severity::critical);
      return;
    }
    if (here == at.home) return;
    for (const std::uint8_t allowed : by.who.allowed)
      if (allowed == here) return;
    const bool listed = by.limits.is_high_risk(here);
    j.why = listed ? reason::high_risk : reason::foreign;
    j.set(rule::geography, step(false, listed));
  }
  void keep_credit(places& at, const judgement& j, std::uint64_t in, std::uint64_t out) {
    if (at.credits == credit_slots) at.drop_credit();
    const std::uint32_t place = at.credit_at(at.credits);
    credit_times[place] = low(j.time);
    credit_numbers[place] = shortened(j.number);
    in_before[place] = in - static_cast<std::uint64_t>(j.cents);
    out_before[place] = out;
    ++at.credits;
  }
  void judge_movement(const places& at, judgement& j, std::uint64_t in, std::uint64_t out) const {
    const std::uint64_t moved_in = in - in_before[at.credit_first];
    const std::uint64_t moved_out = out - out_before[at.credit_first];
    if (moved_in >= std::uint64_t{by.limits.rapid_least} * 100 &&
        moved_out >= (moved_in * by.limits.rapid_percent + 99) / 100)
      j.set(rule::rapid_movement, severity::high);
  }

  /// Some rule fired; all that the posting changes but what learn() does is written down.
  void report(places& at, const judgement& j, const transaction& t, perdure::context& ctx) {
    std::uint32_t score = 0;
    for (std::uint32_t r = 0; r < rule_count; ++r) {
      if (j.level(r) != severity::none)
        score += weights[r] * (1U + static_cast<std::uint32_t>(j.level(r))) / 2U;
    }
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
      explain(at, j, t.country, a);
      ++alerted;
      ctx.send(alerts, a);
    }
    if (j.level(index_of(rule::rapid_movement)) != severity::none) at.credits = 0;
  }

  void cite(alert& a, std::uint64_t number) const {
    a.evidence[a.evidence_count % evidence_slots] = number;
    ++a.evidence_count;
  }
  /// Value, limit, window and evidence of one rule.
  void explain(const places& at, const judgement& j, std::uint16_t country, alert& a) const {
    const auto since = [&](std::uint32_t then) {
      return j.time - std::int64_t{low(j.time) - then};
    };
    a.value = j.cents;
    switch (a.fired) {
      case rule::velocity: {
        a.value = at.recent;
        a.limit = by.limits.velocity_limit;
        a.from_ms = since(times[at.first]);
        const std::uint32_t n = at.recent < evidence_slots ? at.recent : evidence_slots;
        for (std::uint32_t i = 0; i < n; ++i)
          cite(a, whole(numbers[(seen + 1U + i - n) % evidence_slots], j.number));
        return;
      }
      case rule::structuring:
        a.value = at.nears;
        a.limit = by.limits.structuring_count;
        a.from_ms = since(near_times[at.near_first]);
        for (std::uint32_t i = 0; i < at.nears; ++i)
          cite(a, whole(near_numbers[at.near_at(i)], j.number));
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
        a.value = static_cast<std::int64_t>(went_out - out_before[at.credit_first]);
        a.limit = static_cast<double>(came_in - in_before[at.credit_first]) *
                  by.limits.rapid_percent / 100.0;
        a.from_ms = since(credit_times[at.credit_first]);
        for (std::uint32_t i = 0; i < at.credits; ++i)
          cite(a, whole(credit_numbers[at.credit_at(i)], j.number));
        break;
      case rule::amount:
        a.limit = static_cast<double>(by.limits.amount_limit) * 100.0;
        break;
      case rule::pep:
        a.limit = static_cast<double>(by.limits.pep_limit) * 100.0;
        break;
      case rule::deviation:
        a.limit = ceiling_of(mean, squares, seen, by.limits.deviation_hundredths);
        break;
    }
    cite(a, j.number);
  }

  /// Welford's update of mean and squares, and what the next posting is compared with.
  void learn(const judgement& j, double x, double usual, double spread, std::uint32_t count) {
    const double before = x - usual;
    const double now = usual + before / static_cast<double>(count + 1);
    seen = count + 1;
    mean = now;
    squares = spread + before * (x - now);
    last_ms = j.time;
  }
};

static_assert(sizeof(account) <= 448, "an account must fit into one actor slot");

}  // namespace txmon
