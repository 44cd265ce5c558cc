// apps/txmon/quiet_run.hpp - the postings at the front of a run for which no rule fires, or rule 7 alone, judged side by side.
// Why: of an account that gets most of the postings each waits for the one before, and little of what a rule looks at does:
//      the windows' ends, places and limits are looked at for 32 postings at once, totals and squares are sums; only which
//      credits rule 7 remembers goes from one to the next, in registers (docs/adr/065).
// Invariant: alerts and figures (account_view.hpp) are those of account::on(), though the ring of credits may begin elsewhere;
//            what any other rule may fire for is left to it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "account.hpp"  // which includes this behind itself
#include "run_credits.hpp"

namespace txmon {

/// A run of postings before an account: what each of them is, and what comes of it.
class quiet_run {
 public:
  quiet_run(account& who, const perdure::run<transaction>& run) : who_{who}, run_{run} {
    // what the account remembers is on its way while the messages are looked at
    times_before_ = run.each_of(velocity_slots, [&](std::uint32_t k) { return who.times[k]; });
    const auto near =
        run.each_of(structuring_slots, [&](std::uint32_t k) { return who.near_times[k]; });
    const auto kept = run.each_of(credit_slots, [&](std::uint32_t k) { return who.before[k]; });
    kept_number_ =
        run.each_of(credit_slots, [&](std::uint32_t k) { return who.credit_numbers.get(k); });
    time_ = run.each([](std::uint32_t, const transaction& t) { return t.when(); });
    now_ = run.each([&](std::uint32_t i) { return account::low(time_[i]); });
    cents_ = run.each(
        [](std::uint32_t, const transaction& t) { return static_cast<std::uint64_t>(t.amount()); });
    number_ = run.each([](std::uint32_t, const transaction& t) { return t.number.get(); });
    here_ = run.each([](std::uint32_t, const transaction& t) {
      return std::uint32_t{static_cast<std::uint8_t>(t.country)};
    });
    debits_ =
        run.which([](std::uint32_t, const transaction& t) { return t.direction() == side::debit; });
    placed_ =
        debits_ & run.which([](std::uint32_t, const transaction& t) { return t.country != 0; });
    in_person_ =
        placed_ & run.which([](std::uint32_t, const transaction& t) { return is_presence(t.via); });
    // in 32 bits: before sums have no room there loud() has found one that is too large
    const auto small = run.each([&](std::uint32_t i) { return account::low(cents_[i]); });
    const auto in =
        run.sum_before(run.each([&](std::uint32_t i) { return has(debits_, i) ? 0U : small[i]; }));
    const auto out =
        run.sum_before(run.each([&](std::uint32_t i) { return has(debits_, i) ? small[i] : 0U; }));
    squares_ = run.sum_before(
        run.each([&](std::uint32_t i) { return std::uint64_t{small[i]} * small[i]; }));
    at_ = places::of(then_.places_bits);
    oldest_near_ = near.of(at_.near_first);
    base_ = at_.credits != 0 ? kept.of(at_.credit_first) : sum_;
    kept_came_ = run.each_of(credit_slots,
                             [&](std::uint32_t k) { return account::low(kept[k].in - base_.in); });
    in_ = run.each([&](std::uint32_t i) { return sum_.in + in[i]; });
    out_ = run.each([&](std::uint32_t i) { return sum_.out + out[i]; });
    came_ = run.each([&](std::uint32_t i) { return account::low(in_[i] - base_.in); });
    went_ = run.each([&](std::uint32_t i) {
      return account::low(out_[i] + (has(debits_, i) ? cents_[i] : 0) - base_.out);
    });
  }

  /// @return postings handled.
  std::uint32_t handle() {
    const std::uint32_t n = first_of(loud(), run_.size());
    if (n == 0) return 0;
    const std::uint32_t fired = follow_credits(n);
    if (fired != 0) tell(fired);
    write_down(n, static_cast<std::uint32_t>(std::popcount(fired)));
    return n;
  }

 private:
  /// The first posting that is meant, or how many there are.
  static std::uint32_t first_of(std::uint32_t bits, std::uint32_t all) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(bits));
    return first < all ? first : all;
  }
  /// Its place, of any if there is none: which is found sooner than by whether there is one.
  static std::uint32_t first_bit(std::uint32_t bits) { return unmasked_first_bit(bits) & 31U; }
  static std::uint32_t unmasked_first_bit(std::uint32_t bits) {
    return static_cast<std::uint32_t>(std::popcount((bits & -bits) - 1));
  }
  static bool has(std::uint32_t bits, std::uint32_t i) { return (bits >> i & 1U) != 0; }
  static std::uint32_t below(std::uint32_t bits, std::uint32_t i) {
    return i < 32 ? bits & ((1U << i) - 1) : bits;
  }
  static std::uint32_t last_of(std::uint32_t bits) {
    return 31U - static_cast<std::uint32_t>(std::countl_zero(bits | 1U));
  }
  /// Place of the k-th time from the oldest that is remembered; those of the run follow.
  std::uint32_t time_place(std::uint32_t k) const { return (at_.first + k) % velocity_slots; }

  /// Postings for which a rule may fire, but for movement, or that teach a home or meet the end of a window that on() sees
  /// to, or with which 2^31 cents or more have come or gone since the oldest credit: what is added up here has no more room.
  std::uint32_t loud() const {
    const std::uint32_t limit = limits_.velocity_limit();
    // of the posting that is one too many for rule 1, if it is still remembered
    const auto one_too_many = run_.gather(now_, [&](std::uint32_t i) { return (i - limit) & 31U; });
    const auto remembered = run_.gather(times_before_, [&](std::uint32_t i) {
      return time_place(i + at_.recent + velocity_slots - limit);
    });
    const auto before =
        run_.gather(here_, [&](std::uint32_t i) { return last_of(below(in_person_, i)); });
    const std::uint64_t amount_limit = account::of_units(limits_.amount_limit());
    return run_.which([&](std::uint32_t i) {
      const std::uint64_t cents = cents_[i];
      const std::uint32_t now = now_[i], here = here_[i];
      const bool long_ago = time_[i] - then_.ms > 0x7fffffff;
      const bool near_ends =
          at_.nears != 0 && now - oldest_near_ >= limits_.structuring_window_ms();
      bool often = false;
      if (limit < velocity_slots && i + at_.recent >= limit) {
        const std::uint32_t then = i >= limit ? one_too_many[i] : remembered[i];
        often = now - then < limits_.velocity_window_ms();
      }
      const std::uint32_t there = below(in_person_, i) != 0 ? before[i] : at_.presence_country;
      const bool elsewhere = has(in_person_, i) & (there != 0) & (there != here);
      const bool near_limit = cents * 100 >= amount_limit * limits_.structuring_percent();
      const bool pep = limits_.pep(), large = cents > account::of_units(limits_.pep_limit());
      const bool exposed = pep & large;
      const amounts_seen known{in_[i] + out_[i], who_.squares + whole128{squares_[i], 0},
                               seen_ + i};
      const bool known_well = known.count >= limits_.deviation_count();
      const bool off = may_exceed(cents, known, limits_.deviation_hundredths());
      const bool large_sum = ((in_[i] - base_.in) | (out_[i] + cents - base_.out)) >> 31U != 0;
      return large_sum | long_ago | near_ends | often | (cents > amount_limit) | near_limit |
             exposed | elsewhere | (known_well & off) | (has(placed_, i) & (here != at_.home));
    });
  }

  /// Of postings that are left what the oldest credit has to do with.
  struct oldest_meets {
    std::uint32_t ends = 0;  ///< those before which it is forgotten
    /// Debits with which most of what came in since has left: account::moves().
    std::uint32_t fires = 0;
  };
  oldest_meets meets(const credits_now& known, std::uint32_t left) const {
    if (known.count() == 0) return {};
    const std::uint32_t oldest = known.oldest(), of_run = oldest & 31U;
    std::uint32_t ms = now_.of(of_run), in = came_.of(of_run), out = went_.of(of_run);
    if (oldest >= credit_order::of_account) {
      const money then = who_.before[of_run];
      ms = who_.credit_times[of_run];
      in = account::low(then.in - base_.in);
      out = account::low(then.out - base_.out);
    }
    const std::uint32_t window = limits_.rapid_window_ms(), percent = limits_.rapid_percent();
    const std::uint64_t least = account::of_units(limits_.rapid_least());
    // asked of all lanes, as `left` has postings only: whether there is one at a lane would be a branch
    return {left & run_.which_of(32, [&](std::uint32_t i) { return now_[i] - ms >= window; }),
            left & debits_ & run_.which_of(32, [&](std::uint32_t i) {
              const std::uint32_t came = came_[i] - in, went = went_[i] - out;
              return (came >= least) & (std::uint64_t{went} * 100 >= std::uint64_t{came} * percent);
            })};
  }
  /// What the account remembers.
  credits_now credits_before() const {
    std::array<std::uint32_t, credit_slots> which{}, in{};
    for (std::uint32_t k = 0; k < credit_slots; ++k) {
      const std::uint32_t unused = credit_slots - at_.credits;
      const std::uint32_t place = at_.credit_at(k >= unused ? k - unused : 0);
      which[k] = credit_order::of_account + place;
      in[k] = kept_came_.of(place);
    }
    credits_now known;
    known.begin(which, at_.credits, in[1] - in[0], in[2] - in[1]);
    return known;
  }
  /// What came in since the credit before each: that one's amount.
  perdure::per_message<std::uint32_t> brought_before() const {
    const auto last =
        run_.gather(cents_, [&](std::uint32_t i) { return last_of(below(~debits_, i)); });
    const std::uint32_t newest = at_.credit_at(at_.credits != 0 ? at_.credits - 1 : 0);
    const std::uint32_t since = account::low(sum_.in - base_.in) - kept_came_.of(newest);
    const std::uint32_t first = at_.credits != 0 ? since : 0;
    return run_.each(
        [&](std::uint32_t i) { return below(~debits_, i) != 0 ? account::low(last[i]) : first; });
  }
  /// The credits that are remembered, one after another; debits are looked at where the oldest of them changes.
  /// @return those for which rule 7 fires; then it forgets all.
  std::uint32_t follow_credits(std::uint32_t most) {
    credits_now known = credits_before();
    const auto brought = brought_before();
    const std::uint32_t all = below(~0U, most);
    std::uint32_t credits = all & ~debits_, left = all, fired = 0;
    // the next two, and what the first of them is asked for, are known ahead: a lane's value takes as long as four of the rest
    std::uint32_t credit = first_bit(credits), behind = unmasked_first_bit(credits & (credits - 1));
    std::uint32_t its = brought.of(credit);
    for (;;) {
      const oldest_meets next = meets(known, left);
      const std::uint32_t events = next.ends | next.fires;
      const auto before_credit = [&] { return events & (credits ^ (credits - 1)); };  // or all
      std::uint32_t rare = before_credit();
      bool changed = false;
      while (!changed & (rare == 0) & (credits != 0)) {
        const std::uint32_t i = credit, brought_by = its;
        credit = behind & 31U;
        its = brought.of(credit);
        credits &= credits - 1;
        behind = unmasked_first_bit(credits & (credits - 1));
        changed = known.keep(i, brought_by);
        left = all & ~((2U << i) - 1);
        rare = before_credit();
      }
      if (changed) continue;
      if (rare == 0) break;
      const std::uint32_t i = first_bit(rare);
      left = all & ~((1U << i) - 1);
      if (has(next.ends, i)) {
        known.forget_oldest();
      } else {
        order_.put(i, known.order());
        fired |= 1U << i;
        known.forget_all();
      }
    }
    last_ = known.order();
    return fired;
  }

  std::uint32_t time_of_credit(std::uint32_t which, std::uint32_t of_run) const {
    return which < credit_order::of_account ? of_run
                                            : who_.credit_times[which - credit_order::of_account];
  }
  /// The totals before it. @param in,out  if it is the run's.
  money before_credit(std::uint32_t which, std::uint64_t in, std::uint64_t out) const {
    return which < credit_order::of_account ? money{in, out}
                                            : who_.before[which - credit_order::of_account];
  }

  /// What is remembered of a credit.
  struct kept_credit {
    std::uint32_t ms;
    money before;
    std::uint64_t number;
  };
  /// Of what rule 7 fires for.
  void tell(std::uint32_t fired) {
    const auto& order = order_;
    perdure::per_message<std::uint32_t> since;
    std::array<perdure::per_message<std::uint64_t>, credit_slots> numbers;
    for (std::uint32_t k = 0; k < credit_slots; ++k) {
      const auto of_run = [&](std::uint32_t i) { return order[i].at(k) & 31U; };
      const auto number = run_.gather(number_, of_run), kept = run_.gather(kept_number_, of_run);
      if (k == 0) since = run_.gather(now_, of_run);
      numbers[k] = run_.each([&](std::uint32_t i) {
        const std::uint64_t of_account = account::whole(kept[i], number_[i]);
        return order[i].at(k) < credit_order::of_account ? number[i] : of_account;
      });
    }
    const auto from = [&](std::uint32_t i) { return order[i].at(0) & 31U; };
    const auto in = run_.gather(in_, from), out = run_.gather(out_, from);
    const auto alerts = run_.each([&](std::uint32_t i, const transaction& t) {
      const std::uint32_t first = order[i].at(0), count = order[i].count();
      const money then = before_credit(first, in[i], out[i]);
      alert a{};
      a.number = number_[i];
      a.time_ms = time_[i];
      a.from_ms = time_[i] - std::int64_t{now_[i] - time_of_credit(first, since[i])};
      a.account = t.account.get();
      a.counterparty = t.counterparty.get();
      a.fired = rule::rapid_movement;
      a.level = severity::high;
      a.score = weights[account::index_of(rule::rapid_movement)] * 3 / 2;
      a.value = static_cast<std::int64_t>(out_[i] + cents_[i] - then.out);
      a.limit = static_cast<double>(in_[i] - then.in) * limits_.rapid_percent() / 100.0;
      a.evidence_count = static_cast<std::uint8_t>(count + 1);
      for (std::uint32_t k = 0; k <= credit_slots; ++k) {
        const std::uint64_t credit = k < credit_slots ? numbers[k < credit_slots ? k : 0][i] : 0;
        a.evidence[k] = k < count ? credit : k == count ? number_[i] : 0;
      }
      return a;
    });
    run_.send(fired, who_.alerts, alerts);
  }
  void write_down(std::uint32_t n, std::uint32_t alerts) {
    const std::uint32_t held = at_.recent;
    const std::uint32_t now = now_.of(n - 1), window = limits_.velocity_window_ms();
    const std::uint32_t old = run_.which_of(velocity_slots, [&](std::uint32_t k) {
      const std::uint32_t age = k >= at_.first ? k - at_.first : k + velocity_slots - at_.first;
      return age < held && now - times_before_[k] < window;
    });
    const std::uint32_t young =
        run_.which([&](std::uint32_t i) { return i < n && now - now_[i] < window; });
    const auto remembered = static_cast<std::uint32_t>(std::popcount(old) + std::popcount(young));
    places at = at_;
    at.recent = remembered < velocity_slots ? remembered : velocity_slots;
    at.first = time_place(held + n - at.recent);
    const credit_order credits = last_;
    at.credit_first = 0;
    at.credits = credits.count();
    const auto which = [&](std::uint32_t k) { return credits.at(k < credit_slots ? k : 0); };
    const auto of_run = [&](std::uint32_t k) { return which(k) & 31U; };
    const auto ms = run_.gather(now_, of_run);
    const auto in = run_.gather(in_, of_run), out = run_.gather(out_, of_run);
    const auto number = run_.gather(number_, of_run);
    const auto kept = run_.each_of(credit_slots, [&](std::uint32_t k) {
      const std::uint32_t credit = which(k);
      return kept_credit{time_of_credit(credit, ms[k]), before_credit(credit, in[k], out[k]),
                         credit < credit_order::of_account
                             ? account::short_of(number[k])
                             : who_.credit_numbers.get(credit - credit_order::of_account)};
    });
    const std::uint32_t in_person = below(in_person_, n), there = last_of(in_person);
    const std::uint32_t country = here_.of(there);
    if (in_person != 0) at.presence_country = country;
    const presence seen_there{time_.of(there), account::short_of(number_.of(there))};
    const last_posting last{at.bits(), time_.of(n - 1)};
    const money own{has(debits_, n - 1) ? std::uint64_t{0} : cents_.of(n - 1),
                    has(debits_, n - 1) ? cents_.of(n - 1) : std::uint64_t{0}};
    const money sum{in_.of(n - 1) + own.in, out_.of(n - 1) + own.out};
    const std::uint64_t x = cents_.of(n - 1), more = squares_.of(n - 1) + x * x;
    const whole128 squares = who_.squares + whole128{more, 0};
    run_.write([&](std::uint32_t i) {
      if (i < n && i + velocity_slots >= n) who_.times[time_place(held + i)] = now_[i];
      if (i < n && i + evidence_slots >= n)
        who_.numbers.set((seen_ + i) % evidence_slots, number_[i]);
    });
    run_.write_of(credit_slots, [&](std::uint32_t k) {
      who_.credit_times[k] = kept[k].ms;
      who_.before[k] = kept[k].before;
      who_.credit_numbers.set(k, kept[k].number);
    });
    run_.once([&] {
      who_.total = sum;
      who_.squares = squares;
      who_.seen = seen_ + n;
      who_.alerted += alerts;
      if (in_person != 0) who_.there = seen_there;
      who_.last = last;
    });
  }

  account& who_;
  const perdure::run<transaction>& run_;
  const last_posting then_ = who_.last;
  const quiet_terms limits_ = who_.by.quiet;
  const money sum_ = who_.total;
  const std::uint32_t seen_ = who_.seen;
  places at_{};
  money base_;  ///< totals before the oldest credit that is remembered
  std::uint32_t oldest_near_ = 0;
  perdure::per_message<std::uint32_t> times_before_;  ///< the account's, by place
  /// In before the account's credits, by place, since `base_`.
  perdure::per_message<std::uint32_t> kept_came_;
  perdure::per_message<std::int64_t> time_;
  perdure::per_message<std::uint64_t> cents_, number_;
  perdure::per_message<std::uint64_t> kept_number_;  ///< of the account's credits, by place
  /// Before each: totals, and squares of the run.
  perdure::per_message<std::uint64_t> in_, out_, squares_;
  perdure::per_message<std::uint32_t> now_, here_;
  perdure::per_message<std::uint32_t> came_, went_;  ///< since `base_`: in before each, out with it
  perdure::per_message<credit_order> order_;         ///< before each for which rule 7 fires
  credit_order last_;                                ///< behind all that are handled
  std::uint32_t debits_ = 0, placed_ = 0, in_person_ = 0;
};

inline std::uint32_t account::on_run(const perdure::run<transaction>& run) {
  return quiet_run{*this, run}.handle();
}

}  // namespace txmon
