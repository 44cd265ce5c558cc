// tests/contract/actors/tolls.hpp - drivers that send many cars at once to one gate, which takes them many at once.
// Why: of hot types a GPU handles a stream's messages by lanes side by side, which also make what send_n() sends and stage what
//      a run sends (docs/adr/071); nobody may be able to tell.
// Invariant: a gate's on() and on_run() do the same; `together` alone says which it was. Both states fit into registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include <perdure/actor.hpp>

namespace tolls {

inline constexpr std::uint32_t drivers = 4;
inline constexpr std::uint32_t pass_every = 5;  ///< cars of a driver
inline constexpr std::uint32_t odd_every = 97;  ///< cars that on_run() leaves to on()

struct car {
  std::uint32_t from, number, fee;
  perdure::hlc before;  ///< of an event before the send
};
/// In the gate's order: how many cars it had when it had this one.
struct pass {
  std::uint32_t number, handled;
  perdure::hlc before;  ///< the driver's event before its car was sent
};
struct go {
  std::uint32_t cars;
};
/// Tells the gate where the drivers are, which are made behind it.
struct meet {
  std::uint64_t first;  ///< bits of the first one
};

constexpr std::uint32_t fee_of(std::uint32_t from, std::uint32_t number) {
  return ((from * 0x9e3779b9U ^ number) * 0x85ebca6bU) >> 20U;
}
constexpr bool gets_pass(const car& c) { return c.number % pass_every == 0; }
constexpr bool is_odd(const car& c) { return (c.from + c.number) % odd_every == 0; }

struct driver;
struct gate : perdure::actor<gate> {
  static constexpr bool hot = true;

  std::uint64_t first = 0;  ///< as of meet
  std::uint64_t sum = 0;
  std::uint32_t handled = 0, together = 0, errors = 0;
  std::array<std::uint32_t, drivers> next{};

  void on(const meet& m, perdure::context&) { first = m.first; }
  void on(const car& c, perdure::context& ctx) {
    ++handled;
    sum += c.fee;
    if (c.number != next[c.from]++ || c.fee != fee_of(c.from, c.number)) ++errors;
    if (ctx.sender().bits != first + c.from) ++errors;
    if (gets_pass(c))
      ctx.send(perdure::ref_cast<driver>(ctx.sender()), pass{c.number, handled, c.before});
  }
  std::uint32_t on_run(const perdure::run<car>& run) {
    const std::uint32_t leaves = run.which([](std::uint32_t, const car& c) { return is_odd(c); });
    const std::uint32_t n =
        leaves != 0 ? static_cast<std::uint32_t>(std::countr_zero(leaves)) : run.size();
    if (n == 0) return 0;
    const auto fees = run.each([&](std::uint32_t i, const car& c) { return i < n ? c.fee : 0U; });
    const std::uint64_t fee = run.sum(fees);
    std::uint32_t wrong = run.which([&](std::uint32_t i, const car& c) {
      return i < n && (run.sender(i).bits != first + c.from || c.fee != fee_of(c.from, c.number));
    });
    std::array<std::uint32_t, drivers> came{};
    for (std::uint32_t d = 0; d < drivers; ++d) {
      const std::uint32_t its =
          run.which([&](std::uint32_t i, const car& c) { return i < n && c.from == d; });
      wrong |= run.which([&](std::uint32_t i, const car& c) {
        const std::uint32_t before = its & ((1U << i) - 1);
        return i < n && c.from == d &&
               c.number != next[d] + static_cast<std::uint32_t>(std::popcount(before));
      });
      came[d] = static_cast<std::uint32_t>(std::popcount(its));
    }
    const std::uint32_t had = handled;
    run.send(run.which([&](std::uint32_t i, const car& c) { return i < n && gets_pass(c); }),
             run.each([&](std::uint32_t i) { return perdure::ref_cast<driver>(run.sender(i)); }),
             run.each([&](std::uint32_t i, const car& c) {
               return pass{c.number, had + i + 1, c.before};
             }));
    run.once([&] {
      handled = had + n;
      together += n;
      sum += fee;
      errors += static_cast<std::uint32_t>(std::popcount(wrong));
      for (std::uint32_t d = 0; d < drivers; ++d) next[d] += came[d];
    });
    return n;
  }
};

struct driver : perdure::actor<driver> {
  static constexpr bool hot = true;

  perdure::ref<gate> to;
  std::uint32_t own = 0, number = 0, passes = 0, last = 0, errors = 0;

  void on(const go& g, perdure::context& ctx) {
    const perdure::hlc before = ctx.now();
    ctx.send_n(to, g.cars, [&](std::uint32_t i) {
      return car{own, number + i, fee_of(own, number + i), before};
    });
    number += g.cars;
    if (!(before < ctx.now())) ++errors;
  }
  void on(const pass& p, perdure::context& ctx) {
    ++passes;
    if (p.handled <= last || p.number % pass_every != 0 || p.number >= number) ++errors;
    if (!(p.before < ctx.now())) ++errors;
    last = p.handled;
  }
};

}  // namespace tolls
