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

/// What rule 7 remembers, in hand: `count` credits, the oldest first.
struct credits_in_hand {
  struct credit {
    money before;
    std::uint32_t ms = 0;
    std::uint32_t from = 0;  ///< the posting of the run; from 32 on, the account's place
  };
  std::array<credit, credit_slots> all{};
  std::uint32_t count = 0;

  void forget(std::uint32_t now, std::uint32_t window_ms) {
    for (; count != 0 && now - all[0].ms >= window_ms; --count)
      for (std::uint32_t k = 0; k + 1 < credit_slots; ++k) all[k] = all[k + 1];
  }
  /// As account::keep_credit().
  void keep(const credit& one) {
    if (count != credit_slots) {
      for (std::uint32_t k = 0; k < credit_slots; ++k) {
        if (k == count) all[k] = one;
      }
      ++count;
      return;
    }
    // as account::forget_least()
    std::uint64_t least = one.before.in - all[credit_slots - 1].before.in;
    std::uint32_t which = credit_slots - 1;
    for (std::uint32_t k = credit_slots - 1; k != 0; --k) {
      const std::uint64_t brought = all[k].before.in - all[k - 1].before.in;
      which = brought < least ? k - 1 : which;
      least = brought < least ? brought : least;
    }
    for (std::uint32_t k = 0; k + 1 < credit_slots; ++k) {
      if (k >= which) all[k] = all[k + 1];
    }
    all[credit_slots - 1] = one;
  }
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
    share_ = run.each([&](std::uint32_t i) { return 1.0 / static_cast<double>(who.seen + i + 1); });
    number_ = run.each([](std::uint32_t, const transaction& t) { return t.number.get(); });
    here_ = run.each([](std::uint32_t, const transaction& t) {
      return std::uint32_t{static_cast<std::uint8_t>(t.country)};
    });
    debits_ =
        run.which([](std::uint32_t, const transaction& t) { return t.direction() == side::debit; });
    placed_ =
        debits_ & run.which([&](std::uint32_t, const transaction& t) { return t.country != 0; });
    in_person_ =
        placed_ & run.which([](std::uint32_t, const transaction& t) { return is_presence(t.via); });
  }

  /// @return postings handled.
  std::uint32_t handle() {
    std::uint32_t most = first_of(loud());
    for (;;) {
      if (most == 0) return 0;
      const movement moved = follow(most);
      if (moved.count == 0) return 0;
      const std::uint32_t off = deviating(moved.count);
      if (off != 0) {
        most = first_of(off);
        continue;
      }
      write_down(moved);
      return moved.count;
    }
  }

 private:
  /// Behind `count` postings.
  struct movement {
    std::uint32_t count;
    credits_in_hand credits;
    money sum;
    spread usual;
  };
  /// What is told of a posting to all lanes, ahead of its turn.
  struct next_posting {
    std::uint32_t now;
    std::uint64_t cents;
    double amount, share;
  };
  next_posting next_of(std::uint32_t i) const {
    return {now_.of(i), cents_.of(i), amount_.of(i), share_.of(i)};
  }
  std::uint32_t first_of(std::uint32_t bits) const {
    const auto first = static_cast<std::uint32_t>(std::countr_zero(bits));
    return first < run_.size() ? first : run_.size();
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
    const auto one_too_many = run_.gather(
        now_, [&](std::uint32_t i) { return i >= limit ? i - limit : std::uint32_t{0}; });
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
      const bool elsewhere = has(in_person_, i) && there != 0 && there != here;
      const bool near_limit = cents * 100 >= amount_limit * limits_.structuring_percent();
      const bool exposed = limits_.pep() && cents > account::of_units(limits_.pep_limit());
      return long_ago || near_ends || often || cents > amount_limit || near_limit || exposed ||
             elsewhere || (has(placed_, i) && here != at_.home);
    });
  }

  /// Rule 7, mean and squares, posting by posting: up to `most` of them or to the one for which rule 7 fires.
  movement follow(std::uint32_t most) {
    movement r{0, {}, who_.total, who_.usual};
    r.credits.count = at_.credits;
    for (std::uint32_t k = 0; k < credit_slots; ++k) {
      const std::uint32_t place = at_.credit_at(k);
      r.credits.all[k] = {who_.before[place], who_.credit_times[place], 32 + place};
    }
    next_posting next = next_of(0);
    for (std::uint32_t i = 0; i < most; r.count = ++i) {
      const next_posting p = next;
      next = next_of((i + 1) & 31U);
      r.credits.forget(p.now, limits_.rapid_window_ms());
      if (has(debits_, i)) {
        const money now{r.sum.in, r.sum.out + p.cents};
        if (r.credits.count != 0 && account::moves(r.credits.all[0].before, now, limits_)) break;
        r.sum = now;
      } else {
        r.credits.keep({r.sum, p.now, i});
        r.sum.in += p.cents;
      }
      known_.put(i, r.usual);
      // as account::learnt()
      const double off = p.amount - r.usual.mean;
      const double mean =
          r.usual.mean + divided(off, static_cast<double>(who_.seen + i + 1), p.share);
      r.usual = {mean, r.usual.squares + off * (p.amount - mean)};
    }
    return r;
  }

  std::uint32_t deviating(std::uint32_t most) const {
    return run_.which([&](std::uint32_t i) {
      const std::uint32_t count = who_.seen + i;
      return i < most && count >= limits_.deviation_count() &&
             may_exceed(amount_[i], known_[i].mean, known_[i].squares, count,
                        limits_.deviation_hundredths());
    });
  }

  void write_down(const movement& moved) {
    const std::uint32_t n = moved.count, held = at_.recent, count = who_.seen;
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
    at.credit_first = 0;
    at.credits = moved.credits.count;
    const std::uint32_t in_person = below(in_person_, n), there = last_of(in_person);
    const std::uint32_t country = here_.of(there);
    if (in_person != 0) at.presence_country = country;
    const presence seen_there{time_.of(there), account::short_of(number_.of(there))};
    const std::int64_t last_ms = time_.of(n - 1);
    std::array<std::uint64_t, credit_slots> credit_numbers{};
    for (std::uint32_t k = 0; k < credit_slots; ++k) {
      const std::uint32_t from = moved.credits.all[k].from;
      const std::uint64_t of_run = number_.of(from & 31U);
      credit_numbers[k] = from < 32 ? of_run : who_.credit_numbers.get((from - 32) % credit_slots);
    }
    run_.write([&](std::uint32_t i) {
      if (i >= n) return;
      if (i + velocity_slots >= n) who_.times[time_place(held + i)] = now_[i];
      if (i + evidence_slots >= n) who_.numbers.set((count + i) % evidence_slots, number_[i]);
    });
    run_.once([&] {
      for (std::uint32_t k = 0; k < credit_slots; ++k) {
        who_.before[k] = moved.credits.all[k].before;
        who_.credit_times[k] = moved.credits.all[k].ms;
        who_.credit_numbers.set(k, credit_numbers[k]);
      }
      who_.total = moved.sum;
      who_.usual = moved.usual;
      who_.seen = count + n;
      if (in_person != 0) who_.there = seen_there;
      who_.last = {at.bits(), last_ms};
    });
  }

  account& who_;
  const perdure::run<transaction>& run_;
  const last_posting then_ = who_.last;
  const places at_ = places::of(then_.places_bits);
  const quiet_terms limits_ = who_.by.quiet;
  perdure::per_message<std::int64_t> time_;
  perdure::per_message<std::uint64_t> cents_, number_;
  perdure::per_message<std::uint32_t> now_, here_;
  perdure::per_message<double> amount_, share_;  ///< share: 1 / its number
  perdure::per_message<spread> known_;
  std::uint32_t debits_ = 0, placed_ = 0, in_person_ = 0;
};

inline std::uint32_t account::on_run(const perdure::run<transaction>& run) {
  return quiet_run{*this, run}.handle();
}

}  // namespace txmon
