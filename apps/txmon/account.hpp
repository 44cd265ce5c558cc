// apps/txmon/account.hpp - the actor: one account, what it remembers, and the seven rules.
// Why: everything known about an account lives where its postings are handled; only alerts leave.
// Invariant: postings come in (event time, number) order; every window entry is younger than its window at the last
//            posting, so 32 bits of a time and 48 of a number are enough; only + - * / sqrt on doubles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>

#include <array>
#include <cstdint>

#include "alert.hpp"
#include "deviation.hpp"
#include "places.hpp"
#include "rules.hpp"
#include "transaction.hpp"

namespace txmon {

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
  /// then reads another waits for memory there, since for all the compiler knows they may be the same. And most postings
  /// are quiet, by a test without a branch: what may be a rule's goes aside, and looks at everything again (docs/adr/044).
  void on(const transaction& t, perdure::context& ctx) {
    places at = where();
    const std::uint32_t velocity_window = by.limits.velocity_window_ms;
    std::uint32_t oldest = times[at.first];
    const windows kept = windows_of(at);
    std::uint64_t in_then = in_before[at.credit_first];
    const quiet_limits limits = limits_of_quiet();
    const std::int64_t before_ms = last_ms;
    const std::uint32_t count = seen;
    const double usual = mean, spread = squares;
    std::uint64_t in = came_in, out = went_out;

    const posting p{t.direction() == side::debit, t.when(), t.amount(), t.number.get()};
    const auto cents = static_cast<std::uint64_t>(p.cents);
    const std::uint32_t now = low(p.time);
    in += p.debit ? 0 : cents;
    out += p.debit ? cents : 0;
    if ((p.time - before_ms > 0x7fffffff) | kept.end(at, now)) {
      if (p.time - before_ms > 0x7fffffff) at.recent = at.nears = at.credits = 0;
      forget_rare(at, now);
      in_then = in_before[at.credit_first];
    }
    for (; at.recent != 0 && now - oldest >= velocity_window; oldest = times[at.first])
      at.drop_time();
    if (at.recent == velocity_slots) at.drop_time();
    times[at.time_at(at.recent)] = now;
    ++at.recent;
    numbers[count % evidence_slots] = shortened(p.number);
    came_in = in;
    went_out = out;

    const auto here = static_cast<std::uint8_t>(t.country);
    const bool placed = p.debit & (t.country != 0);
    const bool in_person = placed & is_presence(t.via);
    const bool elsewhere = in_person & (at.presence_country != 0) & (at.presence_country != here);
    const bool moves = p.debit & (at.credits != 0) & (in - in_then >= limits.rapid_least);
    if (!p.debit) keep_credit(at, p, in, out);
    const double x = static_cast<double>(p.cents);
    const bool high = (count >= limits.deviation_count) &
                      may_exceed(x, usual, spread, count, limits.deviation_hundredths);
    if ((at.recent > limits.velocity) | (cents > limits.amount) |
        (cents * 100 >= limits.near_amount) | (placed & ((here != at.home) | elsewhere)) |
        (limits.pep & (cents > limits.pep_amount)) | high | moves)
      judge(at, p, t, ctx);

    learn(p, x, usual, spread, count);
    if (in_person) {
      at.presence_country = here;
      presence_ms = p.time;
      presence_number = shortened(p.number);
    }
    put(at);
  }

 private:
  /// Only what is dear to find again: what is live through all rules costs registers.
  struct posting {
    bool debit;
    std::int64_t time, cents;
    std::uint64_t number;
  };
  struct judgement {
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

  /// Of the windows that seldom lose an entry: times of the oldest ones, and how long they stay.
  struct windows {
    std::uint32_t near, credit, near_window, credit_window;

    bool end(const places& at, std::uint32_t now) const {
      return ((at.nears != 0) & (now - near >= near_window)) |
             ((at.credits != 0) & (now - credit >= credit_window));
    }
  };
  windows windows_of(const places& at) const {
    return {near_times[at.near_first], credit_times[at.credit_first],
            by.limits.structuring_window_ms, by.limits.rapid_window_ms};
  }
  void forget_rare(places& at, std::uint32_t now) const {
    while (at.nears != 0 && now - near_times[at.near_first] >= by.limits.structuring_window_ms)
      at.drop_near();
    while (at.credits != 0 && now - credit_times[at.credit_first] >= by.limits.rapid_window_ms)
      at.drop_credit();
  }

  /// Up to where no rule fires, in cents, hundredths of cents, counts; the exact rules are judge()'s.
  struct quiet_limits {
    std::uint64_t amount, near_amount, pep_amount, rapid_least;
    std::uint32_t velocity, deviation_count, deviation_hundredths;
    bool pep;
  };
  quiet_limits limits_of_quiet() const {
    const rules& r = by.limits;
    const std::uint64_t amount = std::uint64_t{r.amount_limit} * 100;
    return {amount,
            amount * r.structuring_percent,
            std::uint64_t{r.pep_limit} * 100,
            std::uint64_t{r.rapid_least} * 100,
            r.velocity_limit,
            r.deviation_count,
            r.deviation_hundredths,
            by.who.pep};
  }

  /// All rules but the bookkeeping of on(): times, numbers, totals and credits are written, the rest is as before the
  /// posting.
  void judge(places& at, const posting& p, const transaction& t, perdure::context& ctx) {
    judgement j;
    const auto cents = static_cast<std::uint64_t>(p.cents);
    const std::uint64_t amount_limit = std::uint64_t{by.limits.amount_limit} * 100;
    if (at.recent > by.limits.velocity_limit) j.set(rule::velocity, velocity_level(at.recent));
    if (cents > amount_limit) {
      if (p.debit) j.set(rule::amount, amount_level(cents));
    } else if (cents * 100 >= amount_limit * by.limits.structuring_percent) {
      keep_near(at, p, j);
    }
    if (p.debit && t.country != 0) judge_geography(at, p, t, j);
    if (by.who.pep && cents > std::uint64_t{by.limits.pep_limit} * 100)
      j.set(rule::pep, severity::high);
    if (seen >= by.limits.deviation_count &&
        exceeds(static_cast<double>(p.cents), mean, squares, seen, by.limits.deviation_hundredths))
      j.set(rule::deviation, severity::medium);
    if (p.debit && at.credits != 0) judge_movement(at, j);
    if (j.levels != 0) report(at, p, j, t, ctx);
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
  void keep_near(places& at, const posting& p, judgement& j) {
    if (at.nears == structuring_slots) at.drop_near();
    const std::uint32_t place = at.near_at(at.nears);
    near_times[place] = low(p.time);
    near_numbers[place] = shortened(p.number);
    ++at.nears;
    if (at.nears >= by.limits.structuring_count) j.set(rule::structuring, severity::high);
  }
  void judge_geography(places& at, const posting& p, const transaction& t, judgement& j) const {
    const std::uint32_t here = static_cast<std::uint8_t>(t.country);
    if (at.home == 0) at.home = here;
    const bool moved =
        is_presence(t.via) && at.presence_country != 0 && at.presence_country != here;
    if (moved && p.time - presence_ms < by.limits.travel_window_ms) {
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
  /// Of credits that take all places the one that brought least until the next one, of equals the latest: what it brought
  /// counts with the one before it, so small credits hide no large one. @param in  what had come in by now.
  void forget_least(places& at, std::uint64_t in) {
    std::uint64_t least = in - in_before[at.credit_at(credit_slots - 1)];
    std::uint32_t which = credit_slots - 1;
    for (std::uint32_t i = credit_slots - 1; i != 0; --i) {
      const std::uint64_t brought = in_before[at.credit_at(i)] - in_before[at.credit_at(i - 1)];
      if (brought >= least) continue;
      least = brought;
      which = i - 1;
    }
    if (which == 0) return at.drop_credit();
    for (std::uint32_t i = which; i + 1 < credit_slots; ++i) {
      const std::uint32_t to = at.credit_at(i), from = at.credit_at(i + 1);
      credit_times[to] = credit_times[from];
      credit_numbers[to] = credit_numbers[from];
      in_before[to] = in_before[from];
      out_before[to] = out_before[from];
    }
    --at.credits;
  }
  void keep_credit(places& at, const posting& p, std::uint64_t in, std::uint64_t out) {
    const std::uint64_t before = in - static_cast<std::uint64_t>(p.cents);
    if (at.credits == credit_slots) [[unlikely]]
      forget_least(at, before);
    const std::uint32_t place = at.credit_at(at.credits);
    credit_times[place] = low(p.time);
    credit_numbers[place] = shortened(p.number);
    in_before[place] = before;
    out_before[place] = out;
    ++at.credits;
  }
  void judge_movement(const places& at, judgement& j) const {
    const std::uint64_t moved_in = came_in - in_before[at.credit_first];
    const std::uint64_t moved_out = went_out - out_before[at.credit_first];
    if (moved_in >= std::uint64_t{by.limits.rapid_least} * 100 &&
        moved_out >= (moved_in * by.limits.rapid_percent + 99) / 100)
      j.set(rule::rapid_movement, severity::high);
  }

  /// Some rule fired; all that the posting changes but what learn() does is written down.
  void report(places& at, const posting& p, const judgement& j, const transaction& t,
              perdure::context& ctx) {
    std::uint32_t score = 0;
    for (std::uint32_t r = 0; r < rule_count; ++r) {
      if (j.level(r) != severity::none)
        score += weights[r] * (1U + static_cast<std::uint32_t>(j.level(r))) / 2U;
    }
    for (std::uint32_t r = 0; r < rule_count; ++r) {
      if (j.level(r) == severity::none) continue;
      alert a{};
      a.number = p.number;
      a.time_ms = a.from_ms = p.time;
      a.account = p.debit ? t.account.get() : t.counterparty.get();
      a.counterparty = p.debit ? t.counterparty.get() : t.account.get();
      a.fired = static_cast<rule>(r);
      a.level = j.level(r);
      a.score = static_cast<std::uint8_t>(score < 100 ? score : 100);
      a.direction = t.direction();
      explain(at, p, j.why, t.country, a);
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
  void explain(const places& at, const posting& p, reason why, std::uint16_t country,
               alert& a) const {
    const auto since = [&](std::uint32_t then) {
      return p.time - std::int64_t{low(p.time) - then};
    };
    a.value = p.cents;
    switch (a.fired) {
      case rule::velocity: {
        a.value = at.recent;
        a.limit = by.limits.velocity_limit;
        a.from_ms = since(times[at.first]);
        const std::uint32_t n = at.recent < evidence_slots ? at.recent : evidence_slots;
        for (std::uint32_t i = 0; i < n; ++i)
          cite(a, whole(numbers[(seen + 1U + i - n) % evidence_slots], p.number));
        return;
      }
      case rule::structuring:
        a.value = at.nears;
        a.limit = by.limits.structuring_count;
        a.from_ms = since(near_times[at.near_first]);
        for (std::uint32_t i = 0; i < at.nears; ++i)
          cite(a, whole(near_numbers[at.near_at(i)], p.number));
        return;
      case rule::geography:
        a.value = country;
        if (why == reason::travel) {
          a.value = p.time - presence_ms;
          a.limit = by.limits.travel_window_ms;
          a.from_ms = presence_ms;
          cite(a, whole(presence_number, p.number));
        }
        a.why = why;
        break;
      case rule::rapid_movement:
        a.value = static_cast<std::int64_t>(went_out - out_before[at.credit_first]);
        a.limit = static_cast<double>(came_in - in_before[at.credit_first]) *
                  by.limits.rapid_percent / 100.0;
        a.from_ms = since(credit_times[at.credit_first]);
        for (std::uint32_t i = 0; i < at.credits; ++i)
          cite(a, whole(credit_numbers[at.credit_at(i)], p.number));
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
    cite(a, p.number);
  }

  /// Welford's update of mean and squares, and what the next posting is compared with.
  void learn(const posting& p, double x, double usual, double spread, std::uint32_t count) {
    const double before = x - usual;
    const double now = usual + before / static_cast<double>(count + 1);
    seen = count + 1;
    mean = now;
    squares = spread + before * (x - now);
    last_ms = p.time;
  }
};

static_assert(sizeof(account) <= 448, "an account must fit into one actor slot");

}  // namespace txmon
