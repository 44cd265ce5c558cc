// apps/txmon/quiet_run.hpp - the postings at the front of a run for which no rule fires, or rule 7 alone, judged side by side.
// Why: of an account that gets most of the postings each waits for the one before, and little of what a rule looks at does:
//      the windows' ends, places and limits are looked at for 32 postings at once; only what rule 7 remembers and the
//      running mean go from one to the next, in registers (docs/adr/065).
// Invariant: alerts and figures (account_view.hpp) are those of account::on(), though the ring of credits may begin elsewhere;
//            what any other rule may fire for is left to it.
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
  void drop_oldest() { bits_ = (bits_ >> 8U & 0xffffU) | (count() - 1) << 24U; }
  void add(std::uint32_t credit) {
    const std::uint32_t n = count();
    bits_ = (bits_ & 0xffffffU) | credit << 8 * n | (n + 1) << 24U;
  }
  /// Of three the one at `which` goes, and this one comes.
  void replace(std::uint32_t which, std::uint32_t credit) {
    const std::uint32_t older = (1U << 8 * which) - 1;
    bits_ = (bits_ & older) | (bits_ >> 8U & 0xffffU & ~older) | credit << 16U | 3U << 24U;
  }

 private:
  std::uint32_t bits_ = 0;
};
static_assert(credit_slots == 3);

/// A run of postings before an account: what each of them is, and what comes of it.
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
    const auto in = run.sum_before(
        run.each([&](std::uint32_t i) { return has(debits_, i) ? std::uint64_t{0} : cents_[i]; }));
    const auto out = run.sum_before(
        run.each([&](std::uint32_t i) { return has(debits_, i) ? cents_[i] : std::uint64_t{0}; }));
    in_ = run.each([&](std::uint32_t i) { return who.total.in + in[i]; });
    out_ = run.each([&](std::uint32_t i) { return who.total.out + out[i]; });
  }

  /// @return postings handled.
  std::uint32_t handle() {
    std::uint32_t n = first_of(loud(), run_.size());
    if (n == 0) return 0;
    const std::uint32_t fired = follow_credits(n);
    follow_mean(n);
    n = first_of(deviating(n), n);
    if (n == 0) return 0;
    if (const std::uint32_t those = below(fired, n); those != 0) tell(those);
    write_down(n, static_cast<std::uint32_t>(std::popcount(below(fired, n))));
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
      const bool pep = limits_.pep(), large = cents > account::of_units(limits_.pep_limit());
      const bool exposed = pep & large;
      return long_ago | near_ends | often | (cents > amount_limit) | near_limit | exposed |
             elsewhere | (has(placed_, i) & (here != at_.home));
    });
  }

  /// What rule 7 remembers at some posting.
  struct credits_now {
    credit_order order;
    std::array<std::uint64_t, credit_slots> in{};  ///< before each
    std::array<std::uint32_t, credit_slots> ms{};

    void forget_oldest() {
      order.drop_oldest();
      in[0] = in[1], in[1] = in[2];
      ms[0] = ms[1], ms[1] = ms[2];
    }
    /// As account::keep_credit(). @param before  what had come in.
    void keep(std::uint32_t credit, std::uint64_t before, std::uint32_t now) {
      const std::uint32_t count = order.count();
      if (count != credit_slots) {
        for (std::uint32_t k = 0; k < credit_slots; ++k) {
          in[k] = k == count ? before : in[k];
          ms[k] = k == count ? now : ms[k];
        }
        return order.add(credit);
      }
      // as account::forget_least()
      const std::uint64_t oldest = in[1] - in[0], middle = in[2] - in[1], newest = before - in[2];
      const bool keeps_newest = middle < newest;
      const std::uint32_t which = oldest < (keeps_newest ? middle : newest) ? 0
                                  : keeps_newest                            ? 1
                                                                            : 2;
      in[0] = which == 0 ? in[1] : in[0];
      ms[0] = which == 0 ? ms[1] : ms[0];
      in[1] = which != 2 ? in[2] : in[1];
      ms[1] = which != 2 ? ms[2] : ms[1];
      in[2] = before;
      ms[2] = now;
      order.replace(which, credit);
    }
  };
  /// What follow_credits() asks for of a posting.
  struct step {
    std::uint32_t i, now;
    std::uint64_t in;
  };
  step step_of(std::uint32_t left) const {
    const std::uint32_t i = static_cast<std::uint32_t>(std::countr_zero(left)) & 31U;
    return {i, now_.of(i), in_.of(i)};
  }
  /// The credits that are remembered before each posting, one after another. @return those for which rule 7 fires; then it
  /// forgets all.
  std::uint32_t follow_credits(std::uint32_t most) {
    credits_now known;
    for (std::uint32_t k = 0; k < credit_slots; ++k) {
      const std::uint32_t place = at_.credit_at(k);
      known.in[k] = who_.before[place].in;
      known.ms[k] = who_.credit_times[place];
      if (k < at_.credits) known.order.add(credit_order::of_account + place);
    }
    order_ = run_.each([&](std::uint32_t) { return known.order; });
    // what has come in since the oldest credit only falls as that goes, so only these debits can fire
    const std::uint64_t least = account::of_units(limits_.rapid_least());
    const std::uint64_t since = known.order.count() != 0 ? known.in[0] : sum_.in;
    const std::uint32_t enough =
        run_.which([&](std::uint32_t i) { return in_[i] - since >= least; });
    std::uint32_t fired = 0;
    std::uint32_t left = below(~debits_ | enough, most);
    step next = step_of(left);
    while (left != 0) {
      const step at = next;
      left &= left - 1;
      next = step_of(left);  // on its way meanwhile
      for (;;) {
        const bool some = known.order.count() != 0;
        const bool ends = at.now - known.ms[0] >= limits_.rapid_window_ms();
        if (!(some & ends)) break;
        known.forget_oldest();
      }
      const bool some = known.order.count() != 0, enough_came = at.in - known.in[0] >= least;
      if (!has(debits_, at.i)) {
        known.keep(at.i, at.in, at.now);
        order_.put_behind(at.i, known.order);
      } else if (some & enough_came) {
        if (!moves(known.order, at.i)) continue;
        order_.put(at.i, known.order);
        fired |= 1U << at.i;
        known.order = {};
        order_.put_behind(at.i, known.order);
      }
    }
    last_ = known.order;
    return fired;
  }
  /// Whether most of what came in has left with debit `i`.
  bool moves(const credit_order& order, std::uint32_t i) const {
    const std::uint32_t oldest = order.at(0), of_run = oldest & 31U;
    const money then = before_credit(oldest, in_.of(of_run), out_.of(of_run));
    return account::moves(then, {in_.of(i), out_.of(i) + cents_.of(i)}, limits_);
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
    credit_order order = n < followed_ ? order_.of(n) : last_;
    while (order.count() != 0) {
      const std::uint32_t then = time_of_credit(order.at(0), now_.of(order.at(0) & 31U));
      if (now - then < limits_.rapid_window_ms()) break;
      order.drop_oldest();
    }
    return order;
  }

  /// Of what rule 7 fires for.
  void tell(std::uint32_t fired) {
    const auto& order = order_;
    perdure::per_message<std::uint32_t> since;
    std::array<perdure::per_message<std::uint64_t>, credit_slots> numbers;
    for (std::uint32_t k = 0; k < credit_slots; ++k) {
      const auto of_run = [&](std::uint32_t i) { return order[i].at(k) & 31U; };
      const auto number = run_.gather(number_, of_run);
      if (k == 0) since = run_.gather(now_, of_run);
      numbers[k] = run_.each([&](std::uint32_t i) {
        const std::uint32_t which = order[i].at(k);
        if (which < credit_order::of_account) return number[i];
        const std::uint32_t place = (which - credit_order::of_account) % credit_slots;
        return account::whole(who_.credit_numbers.get(place), number_[i]);
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
    run_.in_order(
        fired, [&](std::uint32_t i, perdure::context& ctx) { ctx.send(who_.alerts, alerts[i]); });
  }
  void write_down(std::uint32_t n, std::uint32_t alerts) {
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
    const money sum{in_.of(n - 1) + own.in, out_.of(n - 1) + own.out};
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
      who_.alerted += alerts;
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
  perdure::per_message<std::uint64_t> in_, out_;  ///< totals before each
  perdure::per_message<double> amount_;
  perdure::per_message<std::uint32_t> now_, here_;
  perdure::per_message<credit_order> order_;  ///< before each
  perdure::per_message<spread> known_;        ///< before each
  credit_order last_;                         ///< behind `followed_` postings
  spread usual_;                              ///< likewise
  std::uint32_t debits_ = 0, placed_ = 0, in_person_ = 0, followed_ = 0;
};

inline std::uint32_t account::on_run(const perdure::run<transaction>& run) {
  return quiet_run{*this, run}.handle();
}

}  // namespace txmon
