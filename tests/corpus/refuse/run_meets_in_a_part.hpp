// tests/corpus/refuse/run_meets_in_a_part.hpp - refused: what has all lanes meet, called by one of them: a GPU would wait for ever.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct coin {
  std::uint32_t worth;
};

struct purse : perdure::actor<purse> {
  std::uint32_t sum = 0, count = 0;
  void on(const coin& c, perdure::context&) { sum += c.worth, ++count; }

  static std::uint32_t first(const perdure::per_message<std::uint32_t>& of) {
    // EXPECT-ERROR: 'of' has all lanes meet, and this is reached from what is handed to a function of the run
    return of.of(0);
  }
  std::uint32_t on_run(const perdure::run<coin>& run) {
    const auto worth = run.each([](std::uint32_t, const coin& c) { return c.worth; });
    const auto more = run.each([&](std::uint32_t i) {
      // EXPECT-ERROR: 'of' has all lanes meet, so it cannot be called in what is handed
      return worth.of(i) + 1;
    });
    run.once([&] {
      sum += run.size() + first(more);
      // EXPECT-ERROR: 'write' has all lanes meet, so it cannot be called
      run.write([&](std::uint32_t) { ++count; });
    });
    // EXPECT-ERROR: 'of' has all lanes meet, and this is reached
    const auto from = [&](std::uint32_t i) { return more.of(i); };
    const auto gathered = run.gather(worth, from);
    return gathered.of(0) < 3 ? run.size() : 0;
  }
};
