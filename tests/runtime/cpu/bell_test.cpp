// tests/runtime/cpu/bell_test.cpp - who sleeps at a bell is woken by every ring that follows its look, and by nothing less.
// Who waits for a ring waits for an hour: one that is lost ends as a test that does not.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "runtime/cpu/bell.hpp"

namespace {

using perdure::runtime::bell;
constexpr auto an_hour = [] { return 3'600'000'000'000; };

TEST(Bell, WhatTheLastLookFindsIsNotSleptOver) {
  bell b;
  int looks = 0;
  EXPECT_TRUE(b.wait([&] { return ++looks == 1; }, an_hour));
  EXPECT_EQ(looks, 1);
}
TEST(Bell, WithoutARingTheSleepEndsByItself) {
  bell b;
  EXPECT_FALSE(b.wait([] { return false; }, [] { return 1'000; }));
  EXPECT_FALSE(b.wait([] { return false; }, [] { return 0; }));
}
TEST(Bell, ARingOfTheLookItselfEndsTheSleep) {
  bell b;
  EXPECT_FALSE(b.wait(
      [&] {
        b.ring();  // as a thread that takes in for others does
        return false;
      },
      an_hour));
}
TEST(Bell, ALookThatThrowsLeavesNobodyCounted) {
  bell b;
  EXPECT_THROW(b.wait([]() -> bool { throw 1; }, an_hour), int);
  EXPECT_EQ(b.sleepers(), 0U);
  EXPECT_FALSE(b.wait(
      [&] {
        EXPECT_EQ(b.sleepers(), 1U);
        return false;
      },
      [] { return 0; }));
}
TEST(Bell, ARingBeforeTheLookIsNoReasonToSleepLess) {
  bell b;
  b.ring();
  bool slept = false;
  EXPECT_FALSE(b.wait([] { return false; },
                      [&] {
                        slept = true;
                        return 1'000;
                      }));
  EXPECT_TRUE(slept) << "asked how long behind the look that found nothing";
}

TEST(Bell, NoRingIsLostBetweenALookAndTheSleep) {
  constexpr std::uint64_t rounds = 20'000;
  bell there, back;
  std::atomic<std::uint64_t> put{0}, taken{0};
  const auto wait_for = [](bell& at, const std::atomic<std::uint64_t>& what, std::uint64_t value) {
    const auto look = [&] { return what.load(std::memory_order_relaxed) >= value; };
    while (!look()) at.wait(look, an_hour);
  };
  std::thread other{[&] {
    for (std::uint64_t n = 1; n <= rounds; ++n) {
      wait_for(there, put, n);
      taken.store(n, std::memory_order_relaxed);
      back.ring();
    }
  }};
  for (std::uint64_t n = 1; n <= rounds; ++n) {
    put.store(n, std::memory_order_relaxed);
    there.ring();
    wait_for(back, taken, n);
  }
  other.join();
  EXPECT_EQ(taken.load(), rounds);
}
TEST(Bell, ARingWakesAllWhoSleep) {
  constexpr std::size_t sleepers = 4;
  constexpr std::uint64_t rounds = 2'000;
  bell go, done;
  std::atomic<std::uint64_t> round{0};
  std::array<std::atomic<std::uint64_t>, sleepers> reached{};
  std::vector<std::thread> all;
  for (auto& mine : reached) {
    all.emplace_back([&] {
      for (std::uint64_t n = 1; n <= rounds; ++n) {
        const auto begun = [&] { return round.load(std::memory_order_relaxed) >= n; };
        while (!begun()) go.wait(begun, an_hour);
        mine.store(n, std::memory_order_relaxed);
        done.ring();
      }
    });
  }
  for (std::uint64_t n = 1; n <= rounds; ++n) {
    round.store(n, std::memory_order_relaxed);
    go.ring();
    const auto ended = [&] {
      for (const auto& one : reached)
        if (one.load(std::memory_order_relaxed) < n) return false;
      return true;
    };
    while (!ended()) done.wait(ended, an_hour);
  }
  for (auto& t : all) t.join();
  for (const auto& one : reached) EXPECT_EQ(one.load(), rounds);
}

}  // namespace
