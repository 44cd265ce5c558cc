// tests/apps/txmon/outcome_test.cpp - the comparison sees every field, down to the last bit.
// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <set>

namespace {

using namespace txmon;

outcome sample() {
  outcome o;
  o.alerts.push_back({3, 1, rule::deviation, side::credit, 7, 8, 9.5});
  o.accounts.push_back({1, 2.5, 3.5, 4, 5, {6, 7}});
  o.accounts.push_back({});
  return o;
}

TEST(Outcome, EqualOutcomesHaveNoDifferenceAndOneChecksum) {
  EXPECT_FALSE(first_difference(sample(), sample()));
  EXPECT_EQ(checksum(sample().accounts), checksum(sample().accounts));
}

TEST(Outcome, AChangeInAnyFieldIsFoundAndChangesTheChecksum) {
  const std::function<void(outcome&)> changes[] = {
      [](outcome& o) { o.alerts[0].sequence = 4; },
      [](outcome& o) { o.alerts[0].account = 2; },
      [](outcome& o) { o.alerts[0].fired = rule::amount; },
      [](outcome& o) { o.alerts[0].direction = side::debit; },
      [](outcome& o) { o.alerts[0].time_ms = 8; },
      [](outcome& o) { o.alerts[0].value = 9; },
      [](outcome& o) { o.alerts[0].limit = std::nextafter(9.5, 10.0); },
      [](outcome& o) { o.alerts.pop_back(); },
      [](outcome& o) { o.accounts[0].balance_cents = 2; },
      [](outcome& o) { o.accounts[0].mean_cents = std::nextafter(2.5, 3.0); },
      [](outcome& o) { o.accounts[0].squares = std::nextafter(3.5, 3.0); },
      [](outcome& o) { o.accounts[0].seen = 5; },
      [](outcome& o) { o.accounts[0].alerted = 6; },
      [](outcome& o) { o.accounts[0].window_ms[1] = 8; },
      [](outcome& o) { o.accounts[0].window_ms.push_back(8); },
      [](outcome& o) { o.accounts[1].mean_cents = -0.0; },
      [](outcome& o) { o.accounts.pop_back(); },
  };
  std::set<std::pair<std::uint64_t, std::uint64_t>> sums{
      {checksum(sample().alerts), checksum(sample().accounts)}};
  for (const auto& change : changes) {
    outcome o = sample();
    change(o);
    EXPECT_TRUE(first_difference(o, sample()));
    EXPECT_TRUE(sums.emplace(checksum(o.alerts), checksum(o.accounts)).second);
  }
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
