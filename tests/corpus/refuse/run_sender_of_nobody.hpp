// tests/corpus/refuse/run_sender_of_nobody.hpp - refused: a run's sender() is of the message in hand, and there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct coin {
  std::uint32_t worth;
};

struct purse : perdure::actor<purse> {
  std::uint64_t last = 0;
  std::uint32_t sum = 0;
  void on(const coin& c, perdure::context& ctx) { sum += c.worth, last = ctx.sender().bits; }
  std::uint32_t on_run(const perdure::run<coin>& run) {
    const std::uint32_t worth =
        run.sum(run.each([](std::uint32_t, const coin& c) { return c.worth; }));
    // EXPECT-ERROR: 'sender\(\)' is a lane's own value
    const std::uint64_t first = run.sender(0).bits;
    run.once([&] {
      sum += worth + static_cast<std::uint32_t>(first);
      // EXPECT-ERROR: 'sender\(\)' is of the message in hand, and once\(\) has none
      last = run.sender(run.size() - 1).bits;
    });
    return run.size();
  }
};
