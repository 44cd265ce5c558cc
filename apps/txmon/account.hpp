// apps/txmon/account.hpp - the actor: one account, what it remembers, and the seven rules.
// Why: everything known about an account lives where its postings are handled; only alerts leave.
// Invariant: postings come in (event time, number) order; every window entry is younger than its window at the last
//            posting, so 32 bits of a time and 48 of a number are enough.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>

#include <array>
#include <bit>
#include <cstdint>

#include "account_words.hpp"
#include "alert.hpp"
#include "deviation.hpp"
#include "places.hpp"
#include "rules.hpp"
#include "transaction.hpp"

namespace txmon {

struct account : perdure::actor<account> {
  // What every posting reads comes first, in words that are read at once; memory tells then where to look in the others.
  last_posting last;
  alignas(16) std::uint32_t seen = 0;
  std::uint32_t alerted = 0;
  perdure::ref<perdure::host<alert>> alerts;  ///< where alerts go
  money total;                                ///< since the start
  whole128 squares;                           ///< the sum of those of all amounts
  kept_terms by;
  std::array<money, credit_slots> before{};  ///< `total` before the credit
  presence there;
  std::array<std::uint32_t, velocity_slots> times{};  ///< rings, each from its first place
  std::array<std::uint32_t, structuring_slots> near_times{};
  std::array<std::uint32_t, credit_slots> credit_times{};
  short_numbers<evidence_slots> numbers;  ///< a ring: posting i lies at i modulo 8
  short_numbers<structuring_slots> near_numbers;
  short_numbers<credit_slots> credit_numbers;

  places where() const { return places::of(last.places_bits); }

  /// Before the first posting.
  void begin(const terms& m) {
    by = kept_terms{m};
    settle(m.who.home);
  }

  /// New terms; a home that is not given leaves the one that was learnt.
  void on(const terms& m, perdure::context&) {
    by = kept_terms{m};
    if (m.who.home != 0) settle(m.who.home);
  }

  /// What waits for nothing is read first, and written when nothing is read any more: a handler that writes a member and
  /// then reads another waits for memory there, since for all the compiler knows they may be the same. And most postings
  /// are quiet, by a test without a branch: what may be a rule's goes aside, and looks at everything again (docs/adr/044).
  void on(const transaction& t, perdure::context& ctx) {
    const last_posting then = last;
    places at = places::of(then.places_bits);
    const quiet_terms limits = by.quiet;
    std::uint32_t oldest = times[at.first];
    const oldest_rare rare = rare_of(at);
    std::uint64_t in_then = before[at.credit_first].in;
    const std::uint32_t count = seen;
    money sum = total;
    const amounts_seen known{sum.in + sum.out, squares, count};

    const posting p{t.direction() == side::debit, t.when(), t.amount(), t.number.get()};
    const auto cents = static_cast<std::uint64_t>(p.cents);
    const std::uint32_t now = low(p.time);
    sum.in += p.debit ? 0 : cents;
    sum.out += p.debit ? cents : 0;
    const bool long_ago = p.time - then.ms > 0x7fffffff;
    const bool one_ends = rare.end(at, limits, now);
    if (long_ago | one_ends) {
      if (long_ago) at.recent = at.nears = at.credits = 0;
      forget_rare(at, limits, now);
      in_then = before[at.credit_first].in;
    }
    for (; at.recent != 0 && now - oldest >= limits.velocity_window_ms(); oldest = times[at.first])
      at.drop_time();
    if (at.recent == velocity_slots) at.drop_time();
    times[at.time_at(at.recent)] = now;
    ++at.recent;
    numbers.set(count % evidence_slots, p.number);
    total = sum;

    const auto here = static_cast<std::uint8_t>(t.country);
    const bool placed = p.debit & (t.country != 0);
    const bool in_person = placed & is_presence(t.via);
    const bool elsewhere = in_person & (at.presence_country != 0) & (at.presence_country != here);
    const std::uint64_t amount_limit = of_units(limits.amount_limit());
    const bool enough = sum.in - in_then >= of_units(limits.rapid_least());
    const bool moves = p.debit & (at.credits != 0) & enough;
    if (!p.debit) keep_credit(at, p, sum);
    const bool known_well = count >= limits.deviation_count();
    const bool off = may_exceed(cents, known, limits.deviation_hundredths());
    const bool often = at.recent > limits.velocity_limit();
    const bool near = cents * 100 >= amount_limit * limits.structuring_percent();
    const bool pep = limits.pep(), large_for_pep = cents > of_units(limits.pep_limit());
    if (often | (cents > amount_limit) | near | (placed & ((here != at.home) | elsewhere)) |
        (pep & large_for_pep) | (known_well & off) | moves)
      judge(at, p, t, ctx);

    squares = known.squares + product(cents, cents);
    seen = count + 1;
    if (in_person) {
      at.presence_country = here;
      there = {p.time, short_of(p.number)};
    }
    last = {at.bits(), p.time};
  }
#ifndef TXMON_ONE_BY_ONE  // said by the batch by hand, which has no runs
  /// Of postings that wait the first ones, at once: quiet_run.hpp.
  std::uint32_t on_run(const perdure::run<transaction>& run);
#endif

 private:
  friend class quiet_run;

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
    /// The first rule of those that are left, and those behind it: few fire, and each look takes a branch.
    static std::uint32_t first(std::uint32_t left) {
      return static_cast<std::uint32_t>(std::countr_zero(left)) / 2;
    }
    static std::uint32_t behind(std::uint32_t left) { return left & ~(3U << 2 * first(left)); }
    severity level(std::uint32_t r) const { return static_cast<severity>(levels >> 2 * r & 3U); }
  };
  static constexpr unsigned index_of(rule r) { return static_cast<unsigned>(r); }
  static constexpr severity step(bool critical, bool high) {
    return critical ? severity::critical : high ? severity::high : severity::medium;
  }
  static std::uint32_t low(std::int64_t time) { return static_cast<std::uint32_t>(time); }
  static std::uint32_t low(std::uint64_t cents) { return static_cast<std::uint32_t>(cents); }
  static std::uint64_t short_of(std::uint64_t number) { return number << 16U >> 16U; }
  /// The number near `now` that has these low bits: numbers of a window differ by less than 2^47.
  static std::uint64_t whole(std::uint64_t bits, std::uint64_t now) {
    const std::uint64_t behind = (now - bits) << 16U;
    return now - static_cast<std::uint64_t>(static_cast<std::int64_t>(behind) >> 16U);
  }
  static std::uint64_t of_units(std::uint32_t units) { return std::uint64_t{units} * 100; }

  void settle(std::uint8_t home) {
    places at = where();
    at.home = home;
    last.places_bits = at.bits();
  }

  /// Of the windows that seldom lose an entry: times of the oldest ones.
  struct oldest_rare {
    std::uint32_t near, credit;

    bool end(const places& at, const quiet_terms& limits, std::uint32_t now) const {
      const bool near_ends = now - near >= limits.structuring_window_ms();
      const bool credit_ends = now - credit >= limits.rapid_window_ms();
      return ((at.nears != 0) & near_ends) | ((at.credits != 0) & credit_ends);
    }
  };
  oldest_rare rare_of(const places& at) const {
    return {near_times[at.near_first], credit_times[at.credit_first]};
  }
  void forget_rare(places& at, const quiet_terms& limits, std::uint32_t now) const {
    while (at.nears != 0 && now - near_times[at.near_first] >= limits.structuring_window_ms())
      at.drop_near();
    while (at.credits != 0 && now - credit_times[at.credit_first] >= limits.rapid_window_ms())
      at.drop_credit();
  }

  /// What came before it: totals are written, squares are not yet.
  amounts_seen known_before(const posting& p) const {
    return {total.in + total.out - static_cast<std::uint64_t>(p.cents), squares, seen};
  }
  /// All rules but the bookkeeping of on(): times, numbers, totals and credits are written, the rest is as before the
  /// posting.
  void judge(places& at, const posting& p, const transaction& t, perdure::context& ctx) {
    judgement j;
    const quiet_terms limits = by.quiet;
    const auto cents = static_cast<std::uint64_t>(p.cents);
    const std::uint64_t amount_limit = of_units(limits.amount_limit());
    if (at.recent > limits.velocity_limit())
      j.set(rule::velocity, velocity_level(at.recent, limits.velocity_limit()));
    if (cents > amount_limit) {
      if (p.debit) j.set(rule::amount, amount_level(cents, amount_limit));
    } else if (cents * 100 >= amount_limit * limits.structuring_percent()) {
      keep_near(at, p, j);
    }
    if (p.debit && t.country != 0) judge_geography(at, p, t, j);
    if (limits.pep() && cents > of_units(limits.pep_limit())) j.set(rule::pep, severity::high);
    if (seen >= limits.deviation_count() &&
        exceeds(cents, known_before(p), limits.deviation_hundredths()))
      j.set(rule::deviation, severity::medium);
    if (p.debit && at.credits != 0) judge_movement(at, limits, j);
    if (j.levels != 0) report(at, p, j, t, ctx);
  }
  severity velocity_level(std::uint32_t recent, std::uint32_t limit) const {
    return step(recent >= limit * by.velocity_critical, recent >= limit * by.velocity_high);
  }
  severity amount_level(std::uint64_t cents, std::uint64_t limit) const {
    return step(cents >= limit * by.amount_critical, cents >= limit * by.amount_high);
  }
  /// An amount just under the limit.
  void keep_near(places& at, const posting& p, judgement& j) {
    if (at.nears == structuring_slots) at.drop_near();
    const std::uint32_t place = at.near_at(at.nears);
    near_times[place] = low(p.time);
    near_numbers.set(place, p.number);
    ++at.nears;
    if (at.nears >= by.structuring_count) j.set(rule::structuring, severity::high);
  }
  void judge_geography(places& at, const posting& p, const transaction& t, judgement& j) const {
    const std::uint32_t here = static_cast<std::uint8_t>(t.country);
    if (at.home == 0) at.home = here;
    const bool moved =
        is_presence(t.via) && at.presence_country != 0 && at.presence_country != here;
    if (moved && p.time - there.ms < by.travel_window_ms) {
      j.why = reason::travel;
      j.set(rule::geography, severity::critical);
      return;
    }
    if (here == at.home) return;
    for (const std::uint8_t allowed : by.allowed)
      if (allowed == here) return;
    const bool listed = is_listed(by.high_risk, here);
    j.why = listed ? reason::high_risk : reason::foreign;
    j.set(rule::geography, step(false, listed));
  }
  /// Of credits that take all places the one that brought least until the next one, of equals the latest: what it brought
  /// counts with the one before it, so small credits hide no large one. @param in  what had come in by now.
  void forget_least(places& at, std::uint64_t in) {
    std::uint64_t least = in - before[at.credit_at(credit_slots - 1)].in;
    std::uint32_t which = credit_slots - 1;
    for (std::uint32_t i = credit_slots - 1; i != 0; --i) {
      const std::uint64_t brought = before[at.credit_at(i)].in - before[at.credit_at(i - 1)].in;
      if (brought >= least) continue;
      least = brought;
      which = i - 1;
    }
    if (which == 0) return at.drop_credit();
    for (std::uint32_t i = which; i + 1 < credit_slots; ++i) {
      const std::uint32_t to = at.credit_at(i), from = at.credit_at(i + 1);
      credit_times[to] = credit_times[from];
      credit_numbers.set(to, credit_numbers.get(from));
      before[to] = before[from];
    }
    --at.credits;
  }
  void keep_credit(places& at, const posting& p, const money& sum) {
    const std::uint64_t in = sum.in - static_cast<std::uint64_t>(p.cents);
    if (at.credits == credit_slots) [[unlikely]]
      forget_least(at, in);
    const std::uint32_t place = at.credit_at(at.credits);
    credit_times[place] = low(p.time);
    credit_numbers.set(place, p.number);
    before[place] = {in, sum.out};
    ++at.credits;
  }
  void judge_movement(const places& at, const quiet_terms& limits, judgement& j) const {
    if (moves(before[at.credit_first], total, limits)) j.set(rule::rapid_movement, severity::high);
  }
  /// Whether most of what came in has left. @param then  the totals before the oldest credit.
  static bool moves(const money& then, const money& now, const quiet_terms& limits) {
    const std::uint64_t in = now.in - then.in, out = now.out - then.out;
    return in >= of_units(limits.rapid_least()) && out * 100 >= in * limits.rapid_percent();
  }

  /// Some rule fired; all that the posting changes but what is learnt is written down.
  void report(places& at, const posting& p, const judgement& j, const transaction& t,
              perdure::context& ctx) {
    std::uint32_t score = 0;
    for (std::uint32_t left = j.levels; left != 0; left = j.behind(left)) {
      const std::uint32_t r = j.first(left);
      score += weights[r] * (1U + static_cast<std::uint32_t>(j.level(r))) / 2U;
    }
    for (std::uint32_t left = j.levels; left != 0; left = j.behind(left)) {
      const std::uint32_t r = j.first(left);
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
    const quiet_terms limits = by.quiet;
    a.value = p.cents;
    switch (a.fired) {
      case rule::velocity: {
        a.value = at.recent;
        a.limit = limits.velocity_limit();
        a.from_ms = since(times[at.first]);
        const std::uint32_t n = at.recent < evidence_slots ? at.recent : evidence_slots;
        for (std::uint32_t i = 0; i < n; ++i)
          cite(a, whole(numbers.get((seen + 1U + i - n) % evidence_slots), p.number));
        return;
      }
      case rule::structuring:
        a.value = at.nears;
        a.limit = by.structuring_count;
        a.from_ms = since(near_times[at.near_first]);
        for (std::uint32_t i = 0; i < at.nears; ++i)
          cite(a, whole(near_numbers.get(at.near_at(i)), p.number));
        return;
      case rule::geography:
        a.value = country;
        if (why == reason::travel) {
          a.value = p.time - there.ms;
          a.limit = by.travel_window_ms;
          a.from_ms = there.ms;
          cite(a, whole(there.number, p.number));
        }
        a.why = why;
        break;
      case rule::rapid_movement:
        a.value = static_cast<std::int64_t>(total.out - before[at.credit_first].out);
        a.limit = static_cast<double>(total.in - before[at.credit_first].in) *
                  limits.rapid_percent() / 100.0;
        a.from_ms = since(credit_times[at.credit_first]);
        for (std::uint32_t i = 0; i < at.credits; ++i)
          cite(a, whole(credit_numbers.get(at.credit_at(i)), p.number));
        break;
      case rule::amount:
        a.limit = static_cast<double>(limits.amount_limit()) * 100.0;
        break;
      case rule::pep:
        a.limit = static_cast<double>(limits.pep_limit()) * 100.0;
        break;
      case rule::deviation:
        a.limit = static_cast<double>(ceiling_of(known_before(p), limits.deviation_hundredths()));
        break;
    }
    cite(a, p.number);
  }
};

static_assert(sizeof(account) <= 448, "an account must fit into one actor slot");

}  // namespace txmon

#ifndef TXMON_ONE_BY_ONE
#include "quiet_run.hpp"
#endif
