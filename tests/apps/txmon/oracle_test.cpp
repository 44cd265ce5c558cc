// tests/apps/txmon/oracle_test.cpp - the rules on cases worked out by hand.
// SPDX-License-Identifier: Apache-2.0
#include "oracle.hpp"

#include <gtest/gtest.h>

namespace {

using namespace txmon;

constexpr std::int64_t hour = 3'600'000;

rules small_rules() {
  rules r;
  r.amount_limit_cents = 1'000;
  r.velocity_window_ms = 2 * hour;
  r.velocity_limit = 2;
  r.deviation_min_count = 4;
  r.deviation_factor = 2.0;
  return r;
}

/// Feeds transactions from account 0 to accounts that are each used once, unless told otherwise.
struct feed {
  oracle judge{small_rules()};
  std::uint64_t sequence = 0;
  std::uint32_t fresh = 1;
  void pay(std::int64_t at, std::int64_t cents) {
    judge.take({++sequence, at, cents, 0, fresh++, false});
  }
  void receive(std::int64_t at, std::int64_t cents) {
    judge.take({++sequence, at, cents, fresh++, 0, false});
  }
};

TEST(Oracle, AmountIsJudgedAboveTheLimitAndAtTheDebtorOnly) {
  feed f;
  f.pay(0, 1'000);
  f.pay(10 * hour, 1'001);
  const auto out = f.judge.finish();
  ASSERT_EQ(out.alerts.size(), 1U);
  EXPECT_EQ(out.alerts[0].sequence, 2U);
  EXPECT_EQ(out.alerts[0].account, 0U);
  EXPECT_EQ(out.alerts[0].fired, rule::amount);
  EXPECT_EQ(out.alerts[0].direction, side::debit);
  EXPECT_EQ(out.alerts[0].value, 1'001);
  EXPECT_EQ(out.alerts[0].limit, 1'000.0);
}

TEST(Oracle, VelocityCountsBothSidesInAWindowOpenAtItsOldEnd) {
  feed f;
  f.pay(0, 1);
  f.receive(hour, 1);
  f.pay(2 * hour, 1);      // the first is exactly two hours old: out
  f.receive(2 * hour, 1);  // 1 h, 2 h, 2 h: three
  f.pay(4 * hour + 1, 1);  // alone
  const auto out = f.judge.finish();
  ASSERT_EQ(out.alerts.size(), 1U);
  EXPECT_EQ(out.alerts[0].sequence, 4U);
  EXPECT_EQ(out.alerts[0].fired, rule::velocity);
  EXPECT_EQ(out.alerts[0].direction, side::credit);
  EXPECT_EQ(out.alerts[0].value, 3);
  EXPECT_EQ(out.accounts[0].window_ms, std::vector<std::int64_t>{4 * hour + 1});
}

TEST(Oracle, VelocityNeverCountsMoreThanTheWindowRemembers) {
  feed f;
  for (int i = 0; i < 40; ++i) f.pay(i, 1);
  const auto out = f.judge.finish();
  EXPECT_EQ(out.alerts.back().value, 32);
  EXPECT_EQ(out.accounts[0].window_ms.size(), 32U);
  EXPECT_EQ(out.accounts[0].window_ms.front(), 8);
}

TEST(Oracle, DeviationJudgesAgainstWhatCameBefore) {
  // 10, 20, 30, 40: mean 25, squares 500, deviation sqrt(125) = 11.18; ceiling 25 + 2 * 11.18 = 47.36
  for (const auto& [cents, fires] : {std::pair{47, false}, std::pair{48, true}}) {
    feed f;
    for (int i = 1; i <= 4; ++i) f.pay(i * 10 * hour, i * 10);
    f.receive(50 * hour, cents);
    const auto out = f.judge.finish();
    ASSERT_EQ(out.alerts.size(), fires ? 1U : 0U) << cents;
    if (fires) {
      EXPECT_EQ(out.alerts[0].fired, rule::deviation);
      EXPECT_NEAR(out.alerts[0].limit, 47.36, 0.005);
    }
  }
}

TEST(Oracle, DeviationIsSilentBeforeItHasSeenEnough) {
  feed f;
  for (int i = 1; i <= 3; ++i) f.pay(i * 10 * hour, 10);
  f.pay(50 * hour, 900);
  EXPECT_TRUE(f.judge.finish().alerts.empty());
}

TEST(Oracle, AnAccountThatAlwaysMovesTheSameFiresOnOneCentMore) {
  feed f;
  for (int i = 1; i <= 4; ++i) f.pay(i * 10 * hour, 500);
  f.pay(50 * hour, 500);
  f.pay(60 * hour, 501);
  const auto out = f.judge.finish();
  ASSERT_EQ(out.alerts.size(), 1U);
  EXPECT_EQ(out.alerts[0].sequence, 6U);
  EXPECT_EQ(out.alerts[0].limit, 500.0);
}

TEST(Oracle, BalancesMoveFromDebtorToCreditorAndSumToZero) {
  oracle o{rules{}};
  o.take({1, 0, 300, 0, 1, false});
  o.take({2, 0, 100, 1, 2, false});
  o.take({3, 0, 50, 2, 2, false});
  const auto out = o.finish();
  EXPECT_EQ(out.accounts[0].balance_cents, -300);
  EXPECT_EQ(out.accounts[1].balance_cents, 200);
  EXPECT_EQ(out.accounts[2].balance_cents, 100);
  EXPECT_EQ(out.accounts[2].seen, 3U);
}

TEST(Oracle, AlertsComeSortedByTransactionAccountAndRule) {
  oracle o{small_rules()};
  for (std::uint64_t i = 1; i <= 3; ++i) o.take({i, 0, 5'000, 1, 0, false});
  const auto out = o.finish();
  ASSERT_EQ(out.alerts.size(), 5U);  // three amounts; in the third, velocity at both ends
  EXPECT_EQ(out.alerts[2].account, 0U);
  EXPECT_EQ(out.alerts[3].account, 1U);
  EXPECT_EQ(out.alerts[3].fired, rule::amount);
  EXPECT_EQ(out.alerts[4].fired, rule::velocity);
}

}  // namespace
