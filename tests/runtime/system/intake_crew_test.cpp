// tests/runtime/system/intake_crew_test.cpp - threads that are called when there is much to take in.
// Why: they must be there when they are called, and cost nothing when they are not.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/system/intake_crew.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <new>
#include <system_error>
#include <thread>
#include <utility>

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

/// Threads are refused as the system refuses them. Those that there are do the work, and nobody asks for another one again.
TEST(IntakeCrew, IsAsManyAsThereCanBe) {
  for (const std::uint32_t there_can_be : {0U, 1U, 2U}) {
    for (const bool no_memory : {false, true}) {
      std::atomic<std::uint32_t> left{0}, asked{0};
      const auto make = [&](std::function<void()> run) {
        if (asked++ < there_can_be) return std::thread{std::move(run)};
        if (no_memory) throw std::bad_alloc{};
        throw std::system_error{std::make_error_code(std::errc::resource_unavailable_try_again)};
      };
      intake_crew crew{[&] {
                         for (std::uint32_t seen = left; seen != 0;)
                           if (left.compare_exchange_weak(seen, seen - 1)) return true;
                         return false;
                       },
                       4, make};
      for (std::uint32_t round = 0; round < 3; ++round) {
        left = 100;
        crew.call();
        EXPECT_EQ(asked, there_can_be + 1);
        const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds{20};
        while (there_can_be != 0 && left != 0 && std::chrono::steady_clock::now() < patience)
          std::this_thread::yield();
        EXPECT_EQ(left, there_can_be == 0 ? 100U : 0U);
      }
    }
  }
}

}  // namespace
