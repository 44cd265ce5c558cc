// apps/txmon/quiet_run.hpp - the quiet postings at the front of a run, judged side by side.
// Why: of an account that gets most of the postings each waits for the one before, and little of what a rule looks at does:
//      the windows' ends, places and limits are looked at for 32 postings at once; only what rule 7 remembers and the
//      running mean go from one to the next, in registers (docs/adr/065).
// Invariant: a posting counts as quiet only if account::on() would send nothing for it; the state is then as on() leaves it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "account.hpp"  // which includes this behind itself

namespace txmon {

/// Which credits rule 7 remembers, the oldest first: of each the posting of the run, or from 32 on the account's place.
class credit_order {
 public:
  static constexpr std::uint32_t of_account = 32;

  std::uint32_t count() const { return bits_ >> 24U; }
  std::uint32_t at(std::uint32_t k) const { return bits_ >> 8 * k & 255U; }
  void drop(std::uint32_t which) {
    const std::uint32_t below = bits_ & ((1U << 8 * which) - 1);
    const std::uint32_t above = bits_ & 0xffffffU & ~((256U << 8 * which) - 1);
    bits_ = below | above >> 8U | (count() - 1) << 24U;
  }
  void add(std::uint32_t credit) {
    const std::uint32_t n = count();
    bits_ = (bits_ & 0xffffffU) | credit << 8 * n | (n + 1) << 24U;
  }

 private:
  std::uint32_t bits_ = 0;
};

/// A run of postings before an account: what each of them is, and which are not quiet.
class quiet_run {
 public:
  quiet_run(account& who, const perdure::run<transaction>& run) : who_{who}, run_{run} {
    time_ = run.each([](std::uint32_t, const transaction& t) { return t.when(); });
    now_ = run.each([&](std::uint32_t i) { return account::low(time_[i]); });
    cents_ = run.each(
        [](std::uint32_t, const transaction& t) { return static_cast<std::uint64_t>(t.amount()); });
    amount_ = run.each([&](std::uint32_t i) { return account::number_of(cents_[i]); });
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
    in_ = run.sum_before(
        run.each([&](std::uint32_t i) { return has(debits_, i) ? std::uint64_t{0} : cents_[i]; }));
    out_ = run.sum_before(
        run.each([&](std::uint32_t i) { return has(debits_, i) ? cents_[i] : std::uint64_t{0}; }));
  }

  /// @return postings handled.
  std::uint32_t handle() {
    std::uint32_t n = first_of(loud(), run_.size());
    if (n == 0) return 0;
    follow_credits(n);
    n = first_of(moving(n), n);
    if (n == 0) return 0;
    follow_mean(n);
    n = first_of(deviating(n), n);
    if (n != 0) write_down(n);
    return n;
  }

 private:
  /// The first posting that is meant, or how many there are.
  static std::uint32_t first_of(std::uint32_t bits, std::uint32_t all) {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(bits));
    return first < all ? first : all;
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

  /// Postings for which a rule may fire, but for deviation and movement, or that teach a home or meet the end of a window
  /// that on() sees to.
  std::uint32_t loud() const {
    const std::uint32_t limit = limits_.velocity_limit();
    const std::uint32_t near = who_.near_times[at_.near_first];
    // of the posting that is one too many for rule 1, if it is still remembered
    const auto one_too_many = run_.gather(now_, [&](std::uint32_t i) { return (i - limit) & 31U; });
    const auto before =
        run_.gather(here_, [&](std::uint32_t i) { return last_of(below(in_person_, i)); });
    const std::uint64_t amount_limit = account::of_units(limits_.amount_limit());
    return run_.which([&](std::uint32_t i) {
      const std::uint64_t cents = cents_[i];
      const std::uint32_t now = now_[i], here = here_[i];
      const bool long_ago = time_[i] - then_.ms > 0x7fffffff;
      const bool near_ends = at_.nears != 0 && now - near >= limits_.structuring_window_ms();
      bool often = false;
      if (limit < velocity_slots && i + at_.recent >= limit) {
        const std::uint32_t then =
            i >= limit ? one_too_many[i] : who_.times[time_place(i + at_.recent - limit)];
        often = now - then < limits_.velocity_window_ms();
      }
      const std::uint32_t there = below(in_person_, i) != 0 ? before[i] : at_.presence_country;
      const bool elsewhere = has(in_person_, i) & (there != 0) & (there != here);
      const bool near_limit = cents * 100 >= amount_limit * limits_.structuring_percent();
      const bool exposed = limits_.pep() & (cents > account::of_units(limits_.pep_limit()));
      return long_ago | near_ends | often | (cents > amount_limit) | near_limit | exposed |
             elsewhere | (has(placed_, i) & (here != at_.home));
    });
  }

  /// Which credits are remembered before each posting, as account::keep_credit() has it; those whose hour ends with a debit
  /// are left to moving().
  void follow_credits(std::uint32_t most) {
    credits_to_ = most;
    std::array<std::uint64_t, credit_slots> in{};  // before each
    std::array<std::uint32_t, credit_slots> ms{};
    for (std::uint32_t k = 0; k < credit_slots; ++k) {
      const std::uint32_t place = at_.credit_at(k);
      in[k] = who_.before[place].in;
      ms[k] = who_.credit_times[place];
      if (k < at_.credits) last_.add(credit_order::of_account + place);
    }
    order_ = run_.each([&](std::uint32_t) { return last_; });
    const auto drop = [&](std::uint32_t which) {
      last_.drop(which);
      for (std::uint32_t k = 0; k + 1 < credit_slots; ++k) {
        in[k] = k >= which ? in[k + 1] : in[k];
        ms[k] = k >= which ? ms[k + 1] : ms[k];
      }
    };
    for (std::uint32_t left = below(~debits_, most); left != 0; left &= left - 1) {
      const auto i = static_cast<std::uint32_t>(std::countr_zero(left));
      const std::uint32_t now = now_.of(i);
      const std::uint64_t before = sum_.in + in_.of(i);
      while (last_.count() != 0 && now - ms[0] >= limits_.rapid_window_ms()) drop(0);
      if (last_.count() == credit_slots) {
        std::uint64_t least = before - in[credit_slots - 1];
        std::uint32_t which = credit_slots - 1;
        for (std::uint32_t k = credit_slots - 1; k != 0; --k) {
          const std::uint64_t brought = in[k] - in[k - 1];
          which = brought < least ? k - 1 : which;
          least = brought < least ? brought : least;
        }
        drop(which);
        in[credit_slots - 1] = before;
        ms[credit_slots - 1] = now;
      } else {
        for (std::uint32_t k = 0; k < credit_slots; ++k) {
          in[k] = k == last_.count() ? before : in[k];
          ms[k] = k == last_.count() ? now : ms[k];
        }
      }
      last_.add(i);
      order_.put_behind(i, last_);
    }
  }

  std::uint32_t time_of_credit(std::uint32_t which, std::uint32_t of_run) const {
    return which < credit_order::of_account ? of_run
                                            : who_.credit_times[which - credit_order::of_account];
  }
  /// The totals before it. @param in,out  of the run alone.
  money before_credit(std::uint32_t which, std::uint64_t in, std::uint64_t out) const {
    return which < credit_order::of_account ? money{sum_.in + in, sum_.out + out}
                                            : who_.before[which - credit_order::of_account];
  }

  /// Debits for which rule 7 fires.
  std::uint32_t moving(std::uint32_t most) const {
    constexpr std::uint32_t none = ~0U;
    perdure::per_message<std::uint32_t> oldest;
    for (std::uint32_t k = credit_slots; k-- != 0;) {
      const auto time = run_.gather(now_, [&](std::uint32_t i) { return order_[i].at(k) & 31U; });
      oldest = run_.each([&](std::uint32_t i) {
        const credit_order& order = order_[i];
        if (k + 1 == credit_slots) oldest[i] = none;
        if (k >= order.count()) return oldest[i];
        const std::uint32_t then = time_of_credit(order.at(k), time[i]);
        return now_[i] - then < limits_.rapid_window_ms() ? order.at(k) : oldest[i];
      });
    }
    const auto in = run_.gather(in_, [&](std::uint32_t i) { return oldest[i] & 31U; });
    const auto out = run_.gather(out_, [&](std::uint32_t i) { return oldest[i] & 31U; });
    return run_.which([&](std::uint32_t i) {
      if (i >= most || !has(debits_, i) || oldest[i] == none) return false;
      const money now{sum_.in + in_[i], sum_.out + out_[i] + cents_[i]};
      return account::moves(before_credit(oldest[i], in[i], out[i]), now, limits_);
    });
  }

  /// What each posting is compared with: mean and squares before it.
  void follow_mean(std::uint32_t most) {
    const auto share =
        run_.each([&](std::uint32_t i) { return 1.0 / static_cast<double>(seen_ + i + 1); });
    usual_ = who_.usual;
    double count = static_cast<double>(seen_);
    for (std::uint32_t i = 0; i < most; ++i) {
      known_.put(i, usual_);
      const double x = amount_.of(i);
      count += 1;
      // as account::learnt()
      const double off = x - usual_.mean;
      const double mean = usual_.mean + divided(off, count, share.of(i));
      usual_ = {mean, usual_.squares + off * (x - mean)};
    }
    followed_ = most;
  }
  std::uint32_t deviating(std::uint32_t most) const {
    return run_.which([&](std::uint32_t i) {
      const std::uint32_t count = seen_ + i;
      return i < most && count >= limits_.deviation_count() &&
             may_exceed(amount_[i], known_[i].mean, known_[i].squares, count,
                        limits_.deviation_hundredths());
    });
  }

  /// What is remembered of a credit.
  struct kept_credit {
    std::uint32_t ms;
    money before;
    std::uint64_t number;
  };
  /// Credits behind `n` postings.
  credit_order credits_behind(std::uint32_t n, std::uint32_t now) const {
    credit_order order = n < credits_to_ ? order_.of(n) : last_;
    while (order.count() != 0) {
      const std::uint32_t then = time_of_credit(order.at(0), now_.of(order.at(0) & 31U));
      if (now - then < limits_.rapid_window_ms()) break;
      order.drop(0);
    }
    return order;
  }

  void write_down(std::uint32_t n) {
    const std::uint32_t held = at_.recent;
    const std::uint32_t now = now_.of(n - 1), window = limits_.velocity_window_ms();
    const std::uint32_t old = run_.which_of(velocity_slots, [&](std::uint32_t k) {
      return k < held && now - who_.times[time_place(k)] < window;
    });
    const std::uint32_t young =
        run_.which([&](std::uint32_t i) { return i < n && now - now_[i] < window; });
    const auto remembered = static_cast<std::uint32_t>(std::popcount(old) + std::popcount(young));
    places at = at_;
    at.recent = remembered < velocity_slots ? remembered : velocity_slots;
    at.first = time_place(held + n - at.recent);
    const credit_order credits = credits_behind(n, now);
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
    const money sum{sum_.in + in_.of(n - 1) + own.in, sum_.out + out_.of(n - 1) + own.out};
    const spread before_next = known_.of(n & 31U);
    const spread usual = n < followed_ ? before_next : usual_;
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
      who_.usual = usual;
      who_.seen = seen_ + n;
      if (in_person != 0) who_.there = seen_there;
      who_.last = last;
    });
  }

  account& who_;
  const perdure::run<transaction>& run_;
  const last_posting then_ = who_.last;
  const places at_ = places::of(then_.places_bits);
  const quiet_terms limits_ = who_.by.quiet;
  const money sum_ = who_.total;
  const std::uint32_t seen_ = who_.seen;
  perdure::per_message<std::int64_t> time_;
  perdure::per_message<std::uint64_t> cents_, number_;
  perdure::per_message<std::uint64_t> in_, out_;  ///< of the run, before each
  perdure::per_message<double> amount_;
  perdure::per_message<std::uint32_t> now_, here_;
  perdure::per_message<credit_order> order_;  ///< before each
  perdure::per_message<spread> known_;        ///< before each
  credit_order last_;                         ///< behind `credits_to_` postings
  spread usual_;                              ///< behind `followed_`
  std::uint32_t debits_ = 0, placed_ = 0, in_person_ = 0, credits_to_ = 0, followed_ = 0;
};

inline std::uint32_t account::on_run(const perdure::run<transaction>& run) {
  return quiet_run{*this, run}.handle();
}

}  // namespace txmon
