// tests/runtime/system/host_clock_test.cpp - stamps of host threads, whatever the wall clock does.
// Why: a wall clock may stand still or be set back, and threads draw from one clock.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/host_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <vector>

#include "runtime/system/host_time.hpp"

namespace {

using perdure::loop::stamp_at;
using perdure::runtime::host_clock;

constexpr std::uint64_t day_ns = 86'400ULL * 1'000'000'000ULL;

TEST(HostClock, StampsRiseByOneWhileTheWallClockStandsStill) {
  host_clock clock;
  for (std::uint64_t i = 1; i <= 200'000; ++i)  // three times what a microsecond has
    ASSERT_EQ(clock.next(day_ns), stamp_at(day_ns) + i);
}
TEST(HostClock, StampsRiseByOneUntilAWallClockThatWasSetBackHasCaughtUp) {
  host_clock clock;
  const std::uint64_t first = clock.next(2 * day_ns);
  EXPECT_EQ(clock.next(day_ns), first + 1);
  EXPECT_EQ(clock.next(0), first + 2);
  EXPECT_EQ(clock.next(2 * day_ns), first + 3);
  EXPECT_EQ(clock.next(2 * day_ns + 1'000), stamp_at(2 * day_ns + 1'000) + 1) << "it follows again";
}
TEST(HostClock, WhatIsDoneAfterAReceiptComesAfterWhatWasReceivedThoughTheWallClockIsSlow) {
  host_clock clock;
  const std::uint64_t theirs = stamp_at(2 * day_ns) + 77;
  EXPECT_EQ(clock.receive(perdure::abi::stamp_to_wire(theirs), day_ns), theirs);
  EXPECT_EQ(clock.next(day_ns), theirs + 1);
  const std::uint64_t old = stamp_at(day_ns) + 3;
  EXPECT_EQ(clock.receive(perdure::abi::stamp_to_wire(old), day_ns), old) << "told as it was sent";
  EXPECT_EQ(clock.next(day_ns), theirs + 2) << "and it takes nothing back";
}
TEST(HostClock, AWorkerThatHasNoTimeYetMovesNothing) {
  for (std::uint64_t days = 1; days < 30; ++days) {  // what travels repeats every 12.7 days
    host_clock clock;
    EXPECT_EQ(clock.receive(0, days * day_ns), stamp_at(days * day_ns) + 1) << "day " << days;
    EXPECT_EQ(clock.next(days * day_ns), stamp_at(days * day_ns) + 2) << "day " << days;
  }
}
TEST(HostClock, AWallClockBeforeTheEpochIsTheEpoch) {
  using perdure::runtime::since_2026;
  EXPECT_EQ(since_2026(0), 0U) << "no battery: 1970";
  EXPECT_EQ(since_2026(1'767'225'600'000'000'000), 0U);
  EXPECT_EQ(since_2026(1'767'225'600'000'000'007), 7U);
}

/// Ranges of stamps, as send_many draws them, by threads whose wall clocks stand still: if none has
/// a stamp of another one's, all together are exactly the stamps from the first to the last.
TEST(HostClock, ABillionStampsOfFourThreadsHaveNoDuplicateAndNoGap) {
  constexpr std::uint64_t wanted = 1'000'000'000;
  constexpr std::uint64_t threads = 4;
  struct range {
    std::uint64_t first, events;
  };
  host_clock clock;
  std::vector<range> all[threads];
  std::vector<std::thread> running;
  for (std::uint64_t t = 0; t < threads; ++t) {
    running.emplace_back([&, t] {
      std::mt19937_64 random{t};
      for (std::uint64_t left = wanted / threads; left != 0;) {
        const std::uint64_t events = std::min(left, 1 + random() % 4'096);
        all[t].push_back({clock.next(day_ns, events), events});
        left -= events;
      }
    });
  }
  for (std::thread& t : running) t.join();
  std::vector<range> sorted;
  for (const auto& some : all) {
    for (std::size_t i = 1; i < some.size(); ++i)
      ASSERT_GT(some[i].first, some[i - 1].first) << "a thread's own stamps rise";
    sorted.insert(sorted.end(), some.begin(), some.end());
  }
  std::sort(sorted.begin(), sorted.end(), [](range a, range b) { return a.first < b.first; });
  std::uint64_t next = stamp_at(day_ns) + 1;
  for (const range& r : sorted) {
    ASSERT_EQ(r.first, next);
    next += r.events;
  }
  EXPECT_EQ(next, stamp_at(day_ns) + 1 + wanted);
  EXPECT_EQ((next >> 16U) - day_ns / 1'000, wanted >> 16U) << "microseconds that were borrowed";
}

}  // namespace
