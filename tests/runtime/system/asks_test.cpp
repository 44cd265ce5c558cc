// tests/runtime/system/asks_test.cpp - each of many asks ends once, whoever comes first.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include "runtime/system/asks.hpp"

namespace {

using perdure::runtime::asks;

asks::entry until(std::uint64_t deadline_ns, std::atomic<int>* ended = nullptr) {
  return {1, 8, deadline_ns,
          perdure::detail::on_reply{[ended](const perdure::error*, const void*) { ++*ended; }}};
}

TEST(Asks, ManyOpenAsksHaveNumbersOfTheirOwnAndEndOnce) {
  asks open;
  std::set<std::uint32_t> ids;
  EXPECT_TRUE(open.empty());
  for (std::uint64_t i = 0; i < 10'000; ++i) {
    ids.insert(open.add(until(i)));
    // some end early, so that places are used again while others stay
    if (i % 3 == 0) {
      EXPECT_TRUE(open.take(*ids.begin()));
      EXPECT_FALSE(open.take(*ids.begin()));
      ids.erase(ids.begin());
    }
  }
  EXPECT_EQ(ids.size(), 10'000U - 3'334U);
  EXPECT_FALSE(open.empty());
  for (const std::uint32_t id : ids) EXPECT_TRUE(open.take(id));
  EXPECT_TRUE(open.empty());
  EXPECT_FALSE(open.take(0));
}
TEST(Asks, AnAskThatStaysOpenIsNotMistakenForLaterOnes) {
  asks open;
  std::atomic<int> ended{0};
  const std::uint32_t first = open.add(until(1'000'000'000, &ended));
  for (int i = 0; i < 100'000; ++i) {
    const std::uint32_t id = open.add(until(5));
    ASSERT_NE(id, first);
    ASSERT_TRUE(open.take(id));
  }
  auto kept = open.take(first);
  ASSERT_TRUE(kept);
  kept->done(nullptr, nullptr);
  EXPECT_EQ(ended, 1);
}
TEST(Asks, WhoeverWaitsItselfIsFilledAndIsNotEndedByTheClock) {
  asks open;
  int filled = 0;
  const auto fill = [](void* what, const perdure::error* why, const void* bytes) {
    *static_cast<int*>(what) = why != nullptr ? -1 : *static_cast<const int*>(bytes);
  };
  const std::uint32_t id =
      open.add({1, 4, asks::never, perdure::runtime::ask_ending{fill, &filled}});
  EXPECT_TRUE(open.take_expired(asks::never - 1).empty());
  EXPECT_FALSE(open.empty());
  const int reply = 42;
  open.take(id)->done(nullptr, &reply);
  EXPECT_EQ(filled, 42);
  open.add({1, 4, asks::never, perdure::runtime::ask_ending{fill, &filled}});
  const perdure::error why{perdure::errc::cancelled};
  for (const asks::entry& e : open.take_all()) e.done(&why, nullptr);
  EXPECT_EQ(filled, -1);
}
TEST(Asks, ThoseWhoseTimeIsUpAreTakenOutAndNoOthers) {
  asks open;
  for (std::uint64_t i = 1; i <= 1'000; ++i) open.add(until(i * 1'000'000));
  EXPECT_TRUE(open.take_expired(999'999).empty());
  std::size_t taken = 0;
  for (std::uint64_t now = 0; now <= 500'000'000; now += 100'000) {
    for (const asks::entry& e : open.take_expired(now)) {
      EXPECT_LE(e.deadline_ns, now);
      ++taken;
    }
  }
  EXPECT_GE(taken, 499U);  // the last may have to wait for the next look
  EXPECT_LE(taken, 500U);
  EXPECT_EQ(taken + open.take_all().size(), 1'000U);
  EXPECT_TRUE(open.empty());
  open.add(until(3));
  EXPECT_EQ(open.take_expired(4).size(), 1U) << "also after all had been taken";
}
TEST(Asks, RepliesAndTimeoutsOfManyThreadsEndEachAskOnce) {
  asks open;
  constexpr std::uint32_t threads = 8, each = 3'000;
  std::atomic<int> ended{0};
  std::atomic<std::uint32_t> done{0};
  std::vector<std::atomic<std::uint32_t>> asked(threads);
  std::vector<std::vector<std::atomic<std::uint32_t>>> ids;
  for (std::uint32_t t = 0; t < threads; ++t) ids.emplace_back(each);
  std::vector<std::thread> all;
  for (std::uint32_t t = 0; t < threads; ++t) {
    all.emplace_back([&, t] {
      for (std::uint32_t i = 0; i < each; ++i) {
        ids[t][i] = open.add(until(i % 2 == 0 ? 10 : ~std::uint64_t{0} / 2, &ended));
        asked[t].store(i + 1, std::memory_order_release);
        // the answers to the neighbour's asks
        const std::uint32_t other = (t + 1) % threads;
        const std::uint32_t n = asked[other].load(std::memory_order_acquire);
        if (n == 0) continue;
        if (auto e = open.take(ids[other][n - 1])) e->done(nullptr, nullptr);
      }
      ++done;
    });
  }
  for (std::uint64_t now = 10; done != threads; now += 1'000'000) {
    for (const asks::entry& e : open.take_expired(now)) e.done(nullptr, nullptr);
    std::this_thread::yield();
  }
  for (auto& t : all) t.join();
  for (const asks::entry& e : open.take_all()) e.done(nullptr, nullptr);
  EXPECT_EQ(ended, static_cast<int>(threads * each));
  EXPECT_TRUE(open.empty());
}

}  // namespace
