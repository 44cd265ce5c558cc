// tests/apps/txmon/outcome_test.cpp - the comparison sees every field, down to the last bit.
// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>
#include <utility>

namespace {

using namespace txmon;

outcome sample() {
  outcome o;
  finding f;
  f.time_ms = 7;
  f.number = 3;
  f.direction = side::credit;
  f.fired = rule::deviation;
  f.level = severity::medium;
  f.score = 16;
  f.account = 1;
  f.value = 8;
  f.from_ms = 7;
  f.limit = 9.5;
  f.evidence = {2, 3};
  o.alerts.push_back(f);
  account_figures a;
  a.squares_low = 25;
  a.squares_high = 35;
  a.recent_ms = {6, 7};
  a.recent_numbers = {1, 2};
  a.near_ms = {6};
  a.near_numbers = {1};
  a.credits = {{1, 2, 3}};
  o.accounts = {a, {}};
  o.late = {5};
  return o;
}

std::uint64_t sum(const outcome& o) {
  std::uint64_t h = checksum_start;
  for (const auto& f : o.alerts) h = checksum_step(h, f);
  for (const auto& a : o.accounts) h += checksum_of(a, "C1");
  return h;
}

TEST(Outcome, EqualOutcomesHaveNoDifferenceAndOneChecksum) {
  outcome other = sample();
  other.alerts[0].hlc = 99;  // when it was raised is no part of what was raised
  EXPECT_FALSE(first_difference(sample(), other));
  EXPECT_EQ(sum(sample()), sum(other));
}

TEST(Outcome, AChangeInAnyFieldIsFoundAndChangesTheChecksum) {
  const std::function<void(outcome&)> changes[] = {
      [](outcome& o) { o.alerts[0].number = 4; },
      [](outcome& o) { o.alerts[0].fired = rule::amount; },
      [](outcome& o) { o.alerts[0].direction = side::debit; },
      [](outcome& o) { o.alerts[0].time_ms = 8; },
      [](outcome& o) { o.alerts[0].level = severity::high; },
      [](outcome& o) { o.alerts[0].why = reason::travel; },
      [](outcome& o) { o.alerts[0].score = 17; },
      [](outcome& o) { o.alerts[0].value = 9; },
      [](outcome& o) { o.alerts[0].from_ms = 6; },
      [](outcome& o) { o.alerts[0].limit = std::nextafter(9.5, 10.0); },
      [](outcome& o) { o.alerts[0].evidence[0] = 1; },
      [](outcome& o) { o.alerts[0].evidence.push_back(4); },
      [](outcome& o) { o.alerts.pop_back(); },
      [](outcome& o) { o.accounts[0].balance_cents = 2; },
      [](outcome& o) { o.accounts[0].came_in = 2; },
      [](outcome& o) { o.accounts[0].squares_low = 26; },
      [](outcome& o) { o.accounts[0].squares_high = 36; },
      [](outcome& o) { o.accounts[0].seen = 5; },
      [](outcome& o) { o.accounts[0].alerted = 6; },
      [](outcome& o) { o.accounts[0].home = 1; },
      [](outcome& o) { o.accounts[0].presence_country = 1; },
      [](outcome& o) { o.accounts[0].presence_ms = 1; },
      [](outcome& o) { o.accounts[0].presence_number = 1; },
      [](outcome& o) { o.accounts[0].recent_ms[1] = 8; },
      [](outcome& o) { o.accounts[0].recent_ms.push_back(8); },
      [](outcome& o) { o.accounts[0].recent_numbers[1] = 8; },
      [](outcome& o) { o.accounts[0].near_ms[0] = 8; },
      [](outcome& o) { o.accounts[0].near_numbers[0] = 8; },
      [](outcome& o) { o.accounts[0].credits[0].number = 8; },
      [](outcome& o) { o.accounts[0].credits[0].in_before = 8; },
      [](outcome& o) { o.accounts[0].credits[0].out_before = 8; },
      [](outcome& o) { std::swap(o.accounts[0].squares_low, o.accounts[0].squares_high); },
      [](outcome& o) { o.accounts[1].squares_high = 1; },
      [](outcome& o) { o.accounts.pop_back(); },
  };
  std::set<std::uint64_t> sums{sum(sample())};
  for (const auto& change : changes) {
    outcome o = sample();
    change(o);
    EXPECT_TRUE(first_difference(o, sample()));
    EXPECT_TRUE(sums.insert(sum(o)).second);
  }
}

TEST(Outcome, LateTransactionsAndTheAccountOfAnAlertAreCompared) {
  outcome o = sample();
  o.late[0] = 6;
  EXPECT_TRUE(first_difference(o, sample()));
  o = sample();
  o.alerts[0].account = 2;
  EXPECT_TRUE(first_difference(o, sample()));
  EXPECT_EQ(sum(o), sum(sample()));  // dense ids differ between runs
}

TEST(Outcome, ADifferenceIsToldInWords) {
  outcome o = sample();
  o.accounts[1].seen = 3;
  EXPECT_EQ(first_difference(o, sample()), "account 1: seen 3, expected 0");
  o = sample();
  o.alerts.clear();
  EXPECT_EQ(first_difference(o, sample()), "0 alerts, expected 1");
}

}  // namespace
