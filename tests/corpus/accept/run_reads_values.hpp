// tests/corpus/accept/run_reads_values.hpp - on_run() that looks like what is refused: the actor by a reference, arrays of the body
//   read by all, a copy of the actor that goes from message to message, a helper that is handed the run, a function object.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: sums
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct coin {
  std::uint32_t worth;
};

/// What is handed to the run, written in a base.
template <class Of>
struct puts_most {
  Of* to;
  void operator()() const {
    if (to->most < 1) to->most = 1;
  }
};

struct tally {
  std::uint32_t coins = 0;
  void take(const perdure::run<coin>& run) {
    run.once([&] { coins += run.size(); });
  }
};

struct purse : perdure::actor<purse> {
  std::uint32_t sum = 0, most = 1;
  std::array<std::uint32_t, 4> parts{};
  tally seen;

  void on(const coin& c, perdure::context&) {
    sum += c.worth;
    if (c.worth > most) most = c.worth;
    parts[c.worth % 4] += c.worth;
    ++seen.coins;
  }
  std::uint32_t on_run(const perdure::run<coin>& run) {
    if (parts.front() == ~0U) return 0;
    const auto worth = run.each([](std::uint32_t, const coin& c) { return c.worth; });
    purse& me = *this;
    std::array<std::uint32_t, 4> more{};
    purse next = me;
    for (std::uint32_t i = 0; i < run.size(); ++i) {
      const std::uint32_t one = worth.of(i);
      more[one % 4] += one;
      next.sum += one;
      if (one > next.most) next.most = one;
    }
    run.write_of(4, [&](std::uint32_t k) { me.parts[k] += more[k]; });
    run.once([&] {
      me.sum = next.sum;
      me.most = next.most;
    });
    struct at_least_one : puts_most<purse> {};
    run.once(at_least_one{{this}});
    seen.take(run);
    return run.size();
  }
};
