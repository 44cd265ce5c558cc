// tests/dsl/run_test.cpp - what a handler of a run asks for, and an on_run() beside its on().
// SPDX-License-Identifier: Apache-2.0
#include "perdure/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <vector>

#include "recording_lane.hpp"
#include "tests/contract/actors/runs.hpp"

namespace {

struct number {
  std::uint32_t value;
};

struct a_run {
  explicit a_run(std::vector<number> of) : messages{std::move(of)} {}
  perdure::run<number> get() {
    return perdure::run<number>::of(static_cast<std::uint32_t>(messages.size()), messages.data(),
                                    calls);
  }
  std::vector<number> messages;
  perdure::test::recording_lane lane;
  perdure::detail::run_calls calls{lane};
};

TEST(Run, GivesAValueForEachMessageAndNoneBehindTheLast) {
  a_run of{{{5}, {7}, {9}}};
  const auto run = of.get();
  EXPECT_EQ(run.size(), 3U);
  const auto twice = run.each([](std::uint32_t, const number& n) { return 2 * n.value; });
  EXPECT_EQ(twice.of(0), 10U);
  EXPECT_EQ(twice.of(2), 18U);
  EXPECT_EQ(twice.of(3), 0U);
  EXPECT_EQ(twice.of(31), 0U);
  const auto index = run.each([](std::uint32_t i) { return i + 1; });
  EXPECT_EQ(index.of(2), 3U);
  EXPECT_EQ(index.of(3), 0U);
}

TEST(Run, TellsForWhichMessagesSomethingHolds) {
  a_run of{{{1}, {2}, {3}, {4}}};
  const auto run = of.get();
  EXPECT_EQ(run.which([](std::uint32_t, const number& n) { return n.value % 2 == 0; }), 0b1010U);
  EXPECT_EQ(run.which([](std::uint32_t) { return true; }), 0b1111U) << "no more than there are";
  EXPECT_EQ(run.which_of(32, [](std::uint32_t k) { return k > 29; }), 0xc0000000U);
  EXPECT_EQ(run.which_of(2, [](std::uint32_t) { return true; }), 0b11U);
}

TEST(Run, GathersSumsAndHandsOn) {
  a_run of{{{1}, {2}, {3}, {4}}};
  const auto run = of.get();
  auto values = run.each([](std::uint32_t, const number& n) { return n.value; });
  const auto reversed = run.gather(values, [](std::uint32_t i) { return (3 - i) & 31U; });
  EXPECT_EQ(reversed.of(0), 4U);
  EXPECT_EQ(reversed.of(3), 1U);
  const auto before = run.sum_before(values);
  EXPECT_EQ(before.of(0), 0U);
  EXPECT_EQ(before.of(3), 6U);
  values.put(1, 20);
  EXPECT_EQ(values.of(0), 1U);
  EXPECT_EQ(values.of(1), 20U);
  EXPECT_EQ(values.of(2), 3U);
  const auto of_places = run.each_of(6, [](std::uint32_t k) { return k; });
  EXPECT_EQ(of_places.of(5), 5U);
  EXPECT_EQ(of_places.of(6), 0U);
}

TEST(Run, WritesForEachMessageAndOnce) {
  a_run of{{{1}, {2}, {3}}};
  const auto run = of.get();
  std::vector<std::uint32_t> to(8), places(8);
  run.write([&](std::uint32_t i, const number& n) { to[i] = n.value; });
  run.write_of(5, [&](std::uint32_t k) { places[k] = k + 1; });
  std::uint32_t times = 0;
  run.once([&] { ++times; });
  EXPECT_EQ(to, (std::vector<std::uint32_t>{1, 2, 3, 0, 0, 0, 0, 0}));
  EXPECT_EQ(std::accumulate(places.begin(), places.end(), 0U), 15U);
  EXPECT_EQ(times, 1U);
}

TEST(Run, CallsInOrder) {
  a_run of{{{1}, {2}, {3}, {4}}};
  const auto run = of.get();
  std::vector<std::uint32_t> order;
  run.in_order(0b1101U, [&](std::uint32_t i, perdure::context& ctx) {
    order.push_back(i);
    (void)ctx.now();
  });
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 2, 3}));
}

TEST(Run, SendsNotesInOrder) {
  a_run of{{{1}, {2}, {3}, {4}}};
  const auto run = of.get();
  const auto notes = run.each([](std::uint32_t, const number& n) { return number{n.value * 10}; });
  const perdure::ref<perdure::host<number>> desk{77};
  run.send(0b1101U, desk, notes);
  run.send(0, desk, notes);
  std::vector<std::uint32_t> sent;
  for (const auto& call : of.lane.calls) {
    EXPECT_EQ(call.to, 77U);
    sent.push_back(call.as<number>().value);
  }
  EXPECT_EQ(sent, (std::vector<std::uint32_t>{10, 30, 40}));
}

struct purse : perdure::actor<purse> {
  void on(const number&, perdure::context&) {}
};
TEST(Run, SendsToAReceiverOfEachInOrder) {
  a_run of{{{1}, {2}, {3}, {4}}};
  const auto run = of.get();
  const auto to =
      run.each([](std::uint32_t i) { return perdure::ref<purse>{std::uint64_t{90} + i}; });
  run.send(0b1010U, to, run.each([](std::uint32_t, const number& n) { return n; }));
  run.send(0b0001U, perdure::ref<purse>{7}, run.each([](std::uint32_t) { return number{5}; }));
  std::vector<std::pair<std::uint64_t, std::uint32_t>> sent;
  for (const auto& call : of.lane.calls) sent.emplace_back(call.to, call.as<number>().value);
  EXPECT_EQ(sent, (std::vector<std::pair<std::uint64_t, std::uint32_t>>{{91, 2}, {93, 4}, {7, 5}}));
}

TEST(Run, KnowsWhoSentEachMessageInARunAndInAContext) {
  a_run of{{{1}, {2}, {3}}};
  const std::array<std::uint64_t, 3> senders{50, 0, 70};
  of.calls.senders = senders.data();
  const auto run = of.get();
  const auto from = run.each([&](std::uint32_t i) { return run.sender(i).bits; });
  for (std::uint32_t i = 0; i < 3; ++i) EXPECT_EQ(from.of(i), senders[i]);
  run.in_order(0b101U, [&](std::uint32_t i, perdure::context& ctx) {
    EXPECT_EQ(ctx.sender().bits, senders[i]);
  });
}

TEST(Run, AddsUpAllMessagesAndNothingBehindThem) {
  a_run of{{{1}, {2}, {0xffff'fff0U}}};
  const auto run = of.get();
  auto wide = run.each([](std::uint32_t, const number& n) { return std::uint64_t{n.value}; });
  EXPECT_EQ(run.sum(wide), 0x1'0000'0000U - 13);
  auto narrow = run.each([](std::uint32_t, const number& n) { return n.value; });
  EXPECT_EQ(run.sum(narrow), 0xffff'fff3U);
  wide.put(9, 1000);
  EXPECT_EQ(run.sum(wide), 0x1'0000'0000U - 13) << "there is no such message";
}

/// The contract's till, one by one and in runs of any length.
template <class Till>
void agrees() {
  for (std::uint32_t seed = 1; seed <= 50; ++seed) {
    std::mt19937 random{seed};
    Till one, many;
    std::vector<runs::coin> coins;
    std::vector<std::uint32_t> next(runs::payers);
    for (std::uint32_t i = 0; i < 500; ++i) {
      const auto from = static_cast<std::uint32_t>(random() % (seed % 2 == 0 ? runs::payers : 3));
      const std::uint32_t number = next[from]++;
      coins.push_back({from, number, runs::worth_of(from, number), {}});
    }
    perdure::test::recording_lane by_one, by_many;
    perdure::context alone{by_one}, ctx{by_many};
    perdure::detail::run_calls calls{by_many};
    for (const auto& c : coins) one.on(c, alone);
    for (std::uint32_t at = 0; at < coins.size();) {
      const auto left = static_cast<std::uint32_t>(coins.size()) - at;
      const std::uint32_t size = std::min(left, 1 + static_cast<std::uint32_t>(random() % 32));
      const std::uint32_t n = many.on_run(perdure::run<runs::coin>::of(size, &coins[at], calls));
      ASSERT_LE(n, size);
      at += n;
      if (n < size) many.on(coins[at++], ctx);
    }
    EXPECT_EQ(many.handled, one.handled);
    EXPECT_EQ(many.sum, one.sum);
    EXPECT_EQ(many.next, one.next);
    EXPECT_EQ(many.errors, 0U);
    EXPECT_GT(many.together, 300U);
    const auto sent = [](const perdure::test::recording_lane& lane) {
      std::vector<std::array<std::uint64_t, 4>> out;
      for (const auto& c : lane.calls) {
        const auto r = c.as<runs::receipt>();
        out.push_back({r.from, r.number, r.handled, r.sum});
      }
      return out;
    };
    EXPECT_EQ(sent(by_many), sent(by_one));
  }
}
TEST(Run, OfTheContractsTillsIsAsOneByOne) {
  agrees<runs::till>();
  agrees<runs::vault>();
}

}  // namespace
