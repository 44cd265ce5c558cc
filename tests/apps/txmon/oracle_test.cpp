// tests/apps/txmon/oracle_test.cpp - the rules of README.md on cases worked out by hand.
// SPDX-License-Identifier: Apache-2.0
#include "oracle.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "oracle_feed.hpp"

namespace {

using namespace txmon;
using test::feed;
using test::fields;
using test::hour;
using test::minute;
using test::numbers;

TEST(Oracle, VelocityCountsBothSidesInAWindowOpenAtItsOldEnd) {
  feed f;
  f.own.limits.velocity_limit = 2;
  f.pay(0, 1);
  f.receive(5 * minute, 1);
  f.pay(10 * minute, 1);      // the first is exactly as old as the window: out
  f.receive(10 * minute, 1);  // 5, 10, 10: three
  const auto a = f.alerts();
  ASSERT_EQ(a.size(), 1U);
  EXPECT_EQ(a[0].fired, rule::velocity);
  EXPECT_EQ(a[0].level, severity::medium);
  EXPECT_EQ(a[0].score, 20);
  EXPECT_EQ(a[0].direction, side::credit);
  EXPECT_EQ(a[0].value, 3);
  EXPECT_EQ(a[0].from_ms, 5 * minute);
  EXPECT_EQ(a[0].evidence, (numbers{2, 3, 4}));
}

TEST(Oracle, VelocityRisesAtTwiceAndThreeTimesTheLimitAndRemembersThirty) {
  feed f;
  for (int i = 0; i < 40; ++i) f.pay(i, 1);
  const auto a = f.alerts();
  ASSERT_EQ(a.size(), 30U);  // the 11th to the 40th
  EXPECT_EQ(a[8].level, severity::medium);
  EXPECT_EQ(a[8].value, 19);
  EXPECT_EQ(a[9].level, severity::high);
  EXPECT_EQ(a[9].score, 30);
  EXPECT_EQ(a[19].level, severity::critical);
  EXPECT_EQ(a[19].value, 30);
  EXPECT_EQ(a[29].value, 30);
  EXPECT_EQ(a[29].from_ms, 10);
  EXPECT_EQ(a[29].evidence, (numbers{33, 34, 35, 36, 37, 38, 39, 40}));
}

TEST(Oracle, AmountIsJudgedAboveTheLimitAtTheDebtorOnly) {
  feed f;
  f.pay(0, 1'000'000);
  f.receive(hour, 7'000'000);
  f.pay(25 * hour, 1'000'001);
  f.pay(50 * hour, 2'000'000);
  f.pay(75 * hour, 5'000'000);
  const auto a = f.alerts();
  ASSERT_EQ(a.size(), 3U);
  EXPECT_EQ(a[0].level, severity::medium);
  EXPECT_EQ(a[0].value, 1'000'001);
  EXPECT_EQ(a[0].limit, 1'000'000.0);
  EXPECT_EQ(a[0].evidence, numbers{3});
  EXPECT_EQ(a[1].level, severity::high);
  EXPECT_EQ(a[2].level, severity::critical);
  EXPECT_EQ(a[2].score, 40);
}

TEST(Oracle, StructuringCountsWhatLiesJustUnderTheLimitWithinADay) {
  feed f;
  f.pay(0, 900'000);
  f.receive(hour, 899'999);    // too little
  f.pay(2 * hour, 1'000'000);  // the limit itself still counts
  f.receive(23 * hour, 950'000);
  f.pay(25 * hour, 950'000);  // the first is out: still three
  f.pay(60 * hour, 950'000);
  const auto a = f.alerts();
  ASSERT_EQ(a.size(), 2U);
  EXPECT_EQ(a[0].fired, rule::structuring);
  EXPECT_EQ(a[0].level, severity::high);
  EXPECT_EQ(a[0].score, 45);
  EXPECT_EQ(a[0].value, 3);
  EXPECT_EQ(a[0].evidence, (numbers{1, 3, 4}));
  EXPECT_EQ(a[1].evidence, (numbers{3, 4, 5}));
  EXPECT_EQ(a[1].from_ms, 2 * hour);
}

TEST(Oracle, GeographyKnowsHomeAllowedListedAndImpossible) {
  feed f;
  f.own.who.allowed[0] = *country_of("AT");
  const auto ir = *country_of("IR");
  f.own.limits.high_risk[ir / 64U] |= std::uint64_t{1} << ir % 64U;
  f.pay(0, 1, "DE", channel::card);               // home from now on
  f.pay(2 * hour, 1, "AT", channel::online);      // allowed
  f.pay(3 * hour, 1, "FR", channel::online);      // foreign
  f.pay(4 * hour, 1, "IR", channel::card);        // on the list
  f.pay(5 * hour - 1, 1, "DE", channel::atm);     // home, but an hour less 1 ms after Iran
  f.pay(6 * hour - 1, 1, "AT", channel::branch);  // exactly an hour: possible
  f.receive(6 * hour, 1);
  outcome all;
  const auto a = f.alerts(&all);
  ASSERT_EQ(a.size(), 3U);
  EXPECT_EQ(a[0].why, reason::foreign);
  EXPECT_EQ(a[0].level, severity::medium);
  EXPECT_EQ(a[0].value, *country_of("FR"));
  EXPECT_EQ(a[1].why, reason::high_risk);
  EXPECT_EQ(a[1].level, severity::high);
  EXPECT_EQ(a[2].why, reason::travel);
  EXPECT_EQ(a[2].level, severity::critical);
  EXPECT_EQ(a[2].value, hour - 1);
  EXPECT_EQ(a[2].from_ms, 4 * hour);
  EXPECT_EQ(a[2].evidence, (numbers{4, 5}));
  EXPECT_EQ(all.accounts[0].home, *country_of("DE"));
  EXPECT_EQ(all.accounts[0].presence_number, 6U);
}

TEST(Oracle, AHomeThatIsGivenIsNotLearnt) {
  feed f;
  f.own.who.home = *country_of("PL");
  f.pay(0, 1, "DE");
  const auto a = f.alerts();
  ASSERT_EQ(a.size(), 1U);
  EXPECT_EQ(a[0].why, reason::foreign);
}

TEST(Oracle, ExposedPersonsAreJudgedOnBothSides) {
  feed f;
  f.own.who.pep = true;
  f.pay(0, 500'000);
  f.pay(hour, 500'001);
  f.receive(2 * hour, 600'000);
  const auto a = f.alerts();
  ASSERT_EQ(a.size(), 2U);
  EXPECT_EQ(a[0].fired, rule::pep);
  EXPECT_EQ(a[0].score, 45);
  EXPECT_EQ(a[0].limit, 500'000.0);
  EXPECT_EQ(a[1].direction, side::credit);
}

TEST(Oracle, RapidMovementSeesMostOfWhatCameInLeaveWithinTheHour) {
  feed f;
  f.own.limits.rapid_least = 1'000;
  f.pay(0, 5'000'00);  // before anything came in
  f.receive(2 * hour, 600'00);
  f.receive(2 * hour + 1, 400'00);
  f.pay(2 * hour + 2, 799'99);
  f.pay(2 * hour + 3, 1);        // now 800.00 of 1,000.00
  f.pay(2 * hour + 4, 900'00);   // fired once; nothing new came in
  f.receive(10 * hour, 999'99);  // too little
  f.pay(10 * hour + 1, 999'99);
  f.receive(20 * hour, 1'000'00);
  f.pay(21 * hour, 1'000'00);  // exactly an hour later: out
  outcome all;
  const auto a = f.alerts(&all);
  ASSERT_EQ(a.size(), 1U);
  EXPECT_EQ(a[0].fired, rule::rapid_movement);
  EXPECT_EQ(a[0].number, 5U);
  EXPECT_EQ(a[0].score, 60);
  EXPECT_EQ(a[0].value, 800'00);
  EXPECT_EQ(a[0].limit, 800'00.0);
  EXPECT_EQ(a[0].from_ms, 2 * hour);
  EXPECT_EQ(a[0].evidence, (numbers{2, 3, 5}));
  EXPECT_TRUE(all.accounts[0].credits.empty());
}

TEST(Oracle, RapidMovementRemembersThreeCreditsAndForgetsTheOneThatBroughtLeast) {
  feed f;
  f.own.limits.rapid_least = 1;
  for (const int x : {100'00, 90'00, 70'00, 80'00, 60'00}) f.receive(0, x);
  f.pay(10, 319'99);
  f.pay(11, 1);  // now 80 % of all five
  const auto a = f.alerts();
  ASSERT_EQ(a.size(), 1U);
  EXPECT_EQ(a[0].evidence, (numbers{1, 2, 5, 7})) << "70.00, then 80.00, brought least";
  EXPECT_EQ(a[0].value, 320'00);
}
TEST(Oracle, RapidMovementForgetsTheLatestOfEquals) {
  feed f;
  f.own.limits.rapid_least = 1;
  for (int i = 0; i < 4; ++i) f.receive(i, 100'00);
  f.pay(10, 320'00);
  const auto a = f.alerts();
  ASSERT_EQ(a.size(), 1U);
  EXPECT_EQ(a[0].evidence, (numbers{1, 2, 4, 5}));
}
TEST(Oracle, WhatAForgottenCreditBroughtLeavesTheHourWithTheOneBeforeIt) {
  feed f;
  f.own.limits.rapid_least = 1;
  f.receive(0, 100'00);
  f.receive(10 * minute, 50'00);
  f.receive(20 * minute, 70'00);
  f.receive(30 * minute, 60'00);
  f.pay(60 * minute, 104'00);  // 80 % of the last two
  const auto a = f.alerts();
  ASSERT_EQ(a.size(), 1U);
  EXPECT_EQ(a[0].limit, 104'00.0);
  EXPECT_EQ(a[0].from_ms, 20 * minute);
}
TEST(Oracle, SmallCreditsBeforeAndBehindHideNoLargeOneThatMovesOn) {
  feed f;
  f.own.limits.rapid_least = 1'000;
  for (int i = 1; i <= 5; ++i) f.receive(i, 1);
  f.receive(6, 9'000'00);
  for (int i = 7; i < 30; ++i) f.receive(i, 1);
  f.pay(40, 8'999'00);
  std::vector<numbers> moved;
  for (const auto& one : f.alerts())
    if (one.fired == rule::rapid_movement) moved.push_back(one.evidence);
  ASSERT_EQ(moved.size(), 1U);
  EXPECT_EQ(std::count(moved[0].begin(), moved[0].end(), 6U), 1);
}

TEST(Oracle, TheScoreIsTheSumOfAllRulesThatFiredAndStopsAtAHundred) {
  feed f;
  f.own.who.pep = true;
  f.own.limits.deviation_count = 1;
  f.pay(0, 1, "DE", channel::card);
  f.pay(1, 5'000'001, "FR", channel::card);  // amount 40, travel 40, pep 45, deviation 16
  const auto a = f.alerts();
  ASSERT_EQ(a.size(), 4U);
  for (const auto& one : a) EXPECT_EQ(one.score, 100);
  EXPECT_EQ(a[0].fired, rule::amount);
  EXPECT_EQ(a[3].fired, rule::deviation);
}

TEST(Oracle, EventsAreJudgedInTheOrderOfTheirTimesAndLateOnesNotAtAll) {
  feed f{100};
  f.own.limits.velocity_limit = 1;
  f.pay(1000, 5);
  f.pay(900, 6);   // as late as may be: judged before the first
  f.pay(899, 7);   // late
  f.pay(1000, 8);  // after the first: a greater number
  outcome all;
  const auto a = f.alerts(&all);
  EXPECT_EQ(all.late, numbers{3});
  ASSERT_EQ(a.size(), 2U);
  EXPECT_EQ(a[0].number, 1U);
  EXPECT_EQ(a[0].evidence, (numbers{2, 1}));
  EXPECT_EQ(a[1].evidence, (numbers{2, 1, 4}));
  EXPECT_EQ(all.accounts[0].balance_cents, -19);
}

TEST(Oracle, APaymentToOneselfIsADebitThenACredit) {
  oracle o;
  o.take(test::record({1, 0, 300, 0, 0}));
  const auto out = o.finish(1, [](std::uint32_t, std::int64_t) { return terms{}; });
  EXPECT_EQ(out.accounts[0].balance_cents, 0);
  EXPECT_EQ(out.accounts[0].came_in, 300U);
  EXPECT_EQ(out.accounts[0].seen, 2U);
}

TEST(Oracle, TermsAreThoseInForceAtTheEventTime) {
  oracle o;
  for (std::uint64_t i = 1; i <= 4; ++i)
    o.take(test::record({i, static_cast<std::int64_t>(i * 10), 500'00}));
  const auto out = o.finish(2, [](std::uint32_t, std::int64_t time) {
    terms t;
    t.limits.amount_limit = time < 30 ? 1000 : 400;
    return t;
  });
  ASSERT_EQ(out.alerts.size(), 2U);
  EXPECT_EQ(out.alerts[0].number, 3U);
  EXPECT_EQ(out.alerts[1].number, 4U);
}

}  // namespace
