// tests/corpus/refuse/run_shares_values.hpp - refused: a variable of all lanes written by each for itself, and a lane's own value
//   read for all: a GPU's lanes would differ in what they all have alike.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct coin {
  std::uint32_t worth;
};

struct purse : perdure::actor<purse> {
  std::uint32_t sum = 0;
  std::array<std::uint32_t, 4> parts{};
  void on(const coin& c, perdure::context&) { sum += c.worth; }

  static std::uint32_t last(const perdure::per_message<std::uint32_t>& of, std::uint32_t n) {
    // EXPECT-ERROR: 'of..' is a lane's own value, so it exists in what is handed to a function of the run only
    return of[n - 1];
  }
  void add(std::uint32_t more) {
    // EXPECT-ERROR: 'parts' is written by all lanes of on_run.. at once
    parts[more % 4] += more;
  }
  std::uint32_t on_run(const perdure::run<coin>& run) {
    std::uint32_t all = 0, most = 0;
    auto worth = run.each([&](std::uint32_t, const coin& c) {
      // EXPECT-ERROR: 'all' belongs to on_run..; every lane has a copy of it
      all += c.worth;
      return c.worth;
    });
    run.write([&](std::uint32_t i) { worth[i] += 1; });
    const auto odd = run.which([&](std::uint32_t i) {
      // EXPECT-ERROR: 'sum' is written by all lanes of on_run.. at once
      sum += 1;
      return worth[i] % 2 != 0;
    });
    // EXPECT-ERROR: 'worth..' is of the message in hand, and once.. has none
    run.once([&] { parts[0] = worth[3] + odd; });
    const auto keep = [&](std::uint32_t i) {
      // EXPECT-ERROR: 'most' belongs to on_run..; every lane has a copy of it
      most = worth[i];
    };
    run.write(keep);
    // EXPECT-ERROR: 'worth..' is a lane's own value
    if (worth[0] > 3) return 0;
    // EXPECT-ERROR: 'sum' is written by all lanes of on_run.. at once
    sum += all + most + last(worth, run.size());
    add(all);
    run.once([&] { add(most); });
    return run.size();
  }
};
