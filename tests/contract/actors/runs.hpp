// tests/contract/actors/runs.hpp - payers, and a till that takes many coins at once; a book that checks what it is told.
// Why: a run of messages is handled by lanes side by side (docs/adr/065), and nobody may be able to tell: in one till's state
//      lies in memory, in the other's on chip.
// Invariant: a till's on() and on_run() do the same; `together` alone says which it was.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <perdure/actor.hpp>

namespace runs {

inline constexpr std::uint32_t payers = 40;
inline constexpr std::uint32_t receipt_every = 5;  ///< coins of a payer
inline constexpr std::uint32_t odd_every = 17;     ///< coins that on_run() leaves to on()

struct coin {
  std::uint32_t from, number, worth;
  perdure::hlc before;  ///< of an event before the send
};
/// In the till's order: how many coins it had when it had this one, and what they were worth.
struct receipt {
  std::uint32_t till, from, number, handled;
  std::uint64_t sum;
  perdure::hlc at;
};
struct go {
  std::uint32_t coins;
};
struct question {};
struct answer {
  std::uint32_t handled, errors;
};

constexpr std::uint32_t worth_of(std::uint32_t from, std::uint32_t number) {
  return ((from * 0x9e3779b9U ^ number) * 0x85ebca6bU) >> 12U;
}
constexpr bool has_receipt(const coin& c) { return c.number % receipt_every == 0; }
constexpr bool is_odd(const coin& c) { return (c.from + c.number) % odd_every == 0; }

struct book : perdure::actor<book> {
  std::array<std::uint32_t, 2> last{};  ///< by till: coins it had
  std::array<perdure::hlc, 2> at;
  std::uint32_t receipts = 0, errors = 0;
  void on(const receipt& r, perdure::context&) {
    ++receipts;
    if (r.handled <= last[r.till] || !(at[r.till] < r.at)) ++errors;
    last[r.till] = r.handled;
    at[r.till] = r.at;
  }
};

/// @tparam Spare  bytes that nothing is done with: with many of them a state stays in memory.
template <class Self, std::uint32_t Spare>
struct takes_coins {
  perdure::ref<book> to;
  std::uint64_t sum = 0;
  std::uint32_t number = 0, handled = 0, together = 0, errors = 0;
  std::uint32_t stops_at = 0;                ///< coins; 0: never
  std::array<std::uint32_t, payers> next{};  ///< by payer
  std::array<std::uint8_t, Spare> spare{};

  void on(const coin& c, perdure::context& ctx) {
    ++handled;
    sum += c.worth;
    if (c.number != next[c.from]++ || c.worth != worth_of(c.from, c.number)) ++errors;
    if (!(c.before < ctx.now())) ++errors;
    if (has_receipt(c))
      ctx.send(to, receipt{this->number, c.from, c.number, handled, sum, ctx.now()});
    if (handled == stops_at) ctx.stop();
  }
  std::uint32_t on_run(const perdure::run<coin>& run) {
    const std::uint32_t leaves = run.which([](std::uint32_t, const coin& c) { return is_odd(c); });
    std::uint32_t n =
        leaves != 0 ? static_cast<std::uint32_t>(std::countr_zero(leaves)) : run.size();
    if (stops_at > handled && stops_at - handled <= n) n = stops_at - handled - 1;
    if (n == 0) return 0;
    const auto number = run.each([](std::uint32_t, const coin& c) { return c.number; });
    const auto from = run.each([](std::uint32_t, const coin& c) { return c.from; });
    const auto worth =
        run.each([](std::uint32_t, const coin& c) { return std::uint64_t{c.worth}; });
    const auto before = run.sum_before(worth);
    // each is its payer's next one: as many behind what was there as the payer has coins before it in the run
    std::uint32_t wrong = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t payer = from.of(i);
      const std::uint32_t same =
          run.which([&](std::uint32_t k) { return k < i && from[k] == payer; });
      if (number.of(i) != next[payer] + static_cast<std::uint32_t>(std::popcount(same))) ++wrong;
    }
    wrong +=
        static_cast<std::uint32_t>(std::popcount(run.which([&](std::uint32_t i, const coin& c) {
          return i < n && c.worth != worth_of(c.from, c.number);
        })));
    const std::uint64_t first_sum = sum;
    const std::uint32_t had = handled;
    const std::uint32_t receipts =
        run.which([&](std::uint32_t i, const coin& c) { return i < n && has_receipt(c); });
    run.in_order(receipts, [&](std::uint32_t i, perdure::context& ctx) {
      ctx.send(to, receipt{this->number, from[i], number[i], had + i + 1,
                           first_sum + before[i] + worth[i], ctx.now()});
    });
    const std::uint64_t sum_of_run = before.of(n - 1) + worth.of(n - 1);
    // a payer's last coin of the run says what comes next
    perdure::per_message<std::uint32_t> is_last;
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint32_t payer = from.of(i);
      const std::uint32_t later =
          run.which([&](std::uint32_t k) { return k > i && k < n && from[k] == payer; });
      is_last.put(i, later == 0 ? 1 : 0);
    }
    run.write([&](std::uint32_t i) {
      if (i < n && is_last[i] != 0) next[from[i]] = number[i] + 1;
    });
    run.once([&] {
      sum = first_sum + sum_of_run;
      handled = had + n;
      together += n;
      errors += wrong;
    });
    return n;
  }
  void on(const question&, perdure::context& ctx) { ctx.reply(answer{handled, errors}); }
};
struct till : perdure::actor<till>, takes_coins<till, 1> {};
struct vault : perdure::actor<vault>, takes_coins<vault, 700> {};

/// Pays into both.
struct payer : perdure::actor<payer> {
  perdure::ref<till> small;
  perdure::ref<vault> large;
  std::uint32_t own = 0, number = 0;
  void on(const go& g, perdure::context& ctx) {
    for (std::uint32_t i = 0; i < g.coins; ++i, ++number) {
      const coin c{own, number, worth_of(own, number), ctx.now()};
      ctx.send(small, c);
      ctx.send(large, c);
    }
  }
};

}  // namespace runs
