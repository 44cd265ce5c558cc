// tests/runtime/system/intake_crew_test.cpp - threads that are called when there is much to take in.
// Why: they must be there when they are called, and cost nothing when they are not.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/intake_crew.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace {

using perdure::runtime::intake_crew;

TEST(IntakeCrew, WorksWhenItIsCalledAndSleepsWhenThereIsNothingToDo) {
  std::atomic<std::uint32_t> left{0}, looks{0};
  intake_crew crew{[&] {
                     ++looks;
                     for (std::uint32_t seen = left; seen != 0;)
                       if (left.compare_exchange_weak(seen, seen - 1)) return true;
                     return false;
                   },
                   3};
  EXPECT_EQ(looks, 0U);
  for (std::uint32_t round = 0; round < 5; ++round) {
    left = 1'000;
    crew.call();
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{20};
    while (left != 0 && std::chrono::steady_clock::now() < patience) std::this_thread::yield();
    EXPECT_EQ(left, 0U);
  }
  // it looks some times more, and then no more
  std::uint32_t before = ~0U;
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{20};
  while (before != looks && std::chrono::steady_clock::now() < patience) {
    before = looks;
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
  }
  EXPECT_EQ(before, looks) << "it never sleeps";
  left = 1;
  crew.dismiss();
  before = looks;
  std::this_thread::sleep_for(std::chrono::milliseconds{20});
  EXPECT_EQ(before, looks);
  EXPECT_EQ(left, 1U);
}

}  // namespace
