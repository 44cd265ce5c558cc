// tests/apps/txmon/order_ring_test.cpp - one writer, several readers: each sees every order once and in order, whoever sleeps.
// SPDX-License-Identifier: Apache-2.0
#include "order_ring.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace txmon;
using namespace std::chrono_literals;

order numbered(std::uint64_t number) {
  auto b = std::make_shared<batch>();
  b->first = number;
  return {.rows = std::move(b)};
}

class OrderRing : public testing::TestWithParam<std::chrono::microseconds> {};

TEST_P(OrderRing, EveryReaderSeesEveryOrderInOrder) {
  constexpr std::uint64_t orders = 20'000;
  constexpr std::uint32_t readers = 3;
  order_ring ring{readers, GetParam()};
  std::vector<std::uint64_t> wrong(readers), seen(readers);
  {
    std::vector<std::jthread> threads;
    for (std::uint32_t r = 0; r < readers; ++r)
      threads.emplace_back([&, r](const std::stop_token& stopping) {
        for (std::uint64_t next = 0, end = 0; next != orders; ring.pass(r, next)) {
          end = ring.wait_for(next, stopping);
          const std::uint64_t upto = std::min(end, next + 1 + r);  // readers out of step
          for (; next != upto; ++next) wrong[r] += ring[next].rows->first == next ? 0 : 1;
          seen[r] = next;
        }
      });
    for (std::uint64_t i = 0; i < orders; ++i) {
      ring.push(numbered(i));
      if (i % 1000 == 0) ring.drain();  // both sides come to sleep
    }
    ring.drain();
  }
  EXPECT_EQ(wrong, std::vector<std::uint64_t>(readers, 0));
  EXPECT_EQ(seen, std::vector<std::uint64_t>(readers, orders));
}

TEST_P(OrderRing, TheWriterWaitsForTheSlowestReader) {
  order_ring ring{2, GetParam()};
  std::atomic<std::uint64_t> pushed{0};
  const std::jthread writer{[&] {
    for (std::uint64_t i = 0; i < 2 * order_ring::slots; ++i) {
      ring.push(numbered(i));
      pushed.store(i + 1);
    }
  }};
  std::stop_source never;
  for (std::uint64_t next = 0; next < order_ring::slots; ++next)
    ring.wait_for(next, never.get_token());
  ring.pass(0, order_ring::slots);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(pushed.load(), order_ring::slots) << "the second reader has passed none";
  EXPECT_EQ(ring[0].rows->first, 0U);
  ring.pass(1, order_ring::slots);
  for (std::uint64_t end = order_ring::slots; end < 2 * order_ring::slots;)
    end = ring.wait_for(end, never.get_token());
}

TEST_P(OrderRing, WhatAllHavePassedIsFreedByADrain) {
  order_ring ring{1, GetParam()};
  std::stop_source never;
  order one = numbered(0);
  const std::weak_ptr<const batch> rows = one.rows;
  ring.push(std::move(one));
  EXPECT_EQ(ring.wait_for(0, never.get_token()), 1U);
  ring.pass(0, 1);
  EXPECT_FALSE(rows.expired()) << "a reader must not free it";
  ring.drain();
  EXPECT_TRUE(rows.expired());
}

TEST_P(OrderRing, WhoPushesFreesWhatAllHavePassed) {
  order_ring ring{1, GetParam()};
  order one = numbered(0);
  const std::weak_ptr<const batch> rows = one.rows;
  ring.push(std::move(one));
  for (std::uint64_t i = 1; i < 4; ++i) ring.push(numbered(i));
  EXPECT_FALSE(rows.expired());
  ring.pass(0, 4);
  ring.push(numbered(4));
  EXPECT_TRUE(rows.expired()) << "memory that is used again does not wait until the ring is full";
}

TEST_P(OrderRing, AReadersFailureReachesWhoPushesAndWhoWaits) {
  order_ring ring{2, GetParam()};
  for (std::uint64_t i = 0; i < order_ring::slots; ++i) ring.push(numbered(i));
  const std::jthread reader{[&] {
    std::this_thread::sleep_for(5ms);
    ring.fail(std::make_exception_ptr(std::runtime_error{"the first"}));
    ring.fail(std::make_exception_ptr(std::runtime_error{"the second"}));
  }};
  for (int i = 0; i < 2; ++i) {
    try {
      if (i == 0) ring.push(numbered(order_ring::slots));
      if (i == 1) ring.drain();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "the first");
    }
  }
}

TEST_P(OrderRing, AReaderThatIsAskedToStopComesBackWithNothing) {
  order_ring ring{1, GetParam()};
  std::uint64_t end = 1;
  std::jthread reader{[&](const std::stop_token& stopping) { end = ring.wait_for(0, stopping); }};
  std::this_thread::sleep_for(5ms);
  reader.request_stop();
  ring.wake();
  reader.join();
  EXPECT_EQ(end, 0U);
}

INSTANTIATE_TEST_SUITE_P(Asleep, OrderRing, testing::Values(0us));
INSTANTIATE_TEST_SUITE_P(Looking, OrderRing, testing::Values(200us));

}  // namespace
