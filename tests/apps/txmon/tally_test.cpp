// tests/apps/txmon/tally_test.cpp - what counts as flagged, as a hit, as found.
// SPDX-License-Identifier: Apache-2.0
#include "tally.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "failure.hpp"
#include "generator.hpp"

namespace {

using namespace txmon;

finding alert_of(std::uint64_t number, rule fired) {
  finding f;
  f.number = number;
  f.fired = fired;
  f.level = severity::high;
  return f;
}

TEST(Tally, ATransactionIsFlaggedOnceHoweverManyAlertsItHas) {
  tally t;
  block b;
  b.labels = {{0, 0}, {2, 0}};
  b.skipped = 3;
  t.add_rows(b, 1, 4);
  t.add_alerts({alert_of(1, rule::amount), alert_of(1, rule::velocity), alert_of(2, rule::pep)});
  t.add_alerts({alert_of(4, rule::pep)});
  const auto& c = t.counts();
  EXPECT_EQ(c.transactions, 4U);
  EXPECT_EQ(c.skipped, 3U);
  EXPECT_EQ(c.fraud, 2U);
  EXPECT_EQ(c.flagged, 3U);
  EXPECT_EQ(c.hits, 1U);
  EXPECT_EQ(c.alerts, 4U);
  EXPECT_EQ(c.by_rule[static_cast<unsigned>(rule::pep)], 2U);
  EXPECT_EQ(c.by_severity[2], 4U);
}

TEST(Tally, APlantedFraudIsFoundByItsOwnRuleOnly) {
  tally t;
  block b;
  const auto kind = [](rule r) { return static_cast<std::uint8_t>(static_cast<unsigned>(r) + 1); };
  b.labels = {{0, kind(rule::pep)}, {1, kind(rule::pep)}};
  t.add_rows(b, 11, 2);
  t.add_alerts({alert_of(11, rule::amount), alert_of(12, rule::pep), alert_of(12, rule::pep)});
  const auto pep = static_cast<unsigned>(rule::pep);
  EXPECT_EQ(t.counts().planted[pep], 2U);
  EXPECT_EQ(t.counts().found[pep], 1U);
  EXPECT_EQ(t.counts().hits, 2U);
}

TEST(Generator, TheSameSettingsGiveTheSameRowsAndSeekGoesOnAmongThem) {
  const auto settings = generator_settings::parse("rows=20000,accounts=500,disorder=50,seed=9");
  generator a{settings}, b{settings};
  piece x, y;
  a.claim(x);
  x = {};
  a.claim(x);
  b.seek({4096, 0});
  b.claim(y);
  ASSERT_EQ(x.rows.size(), y.rows.size());
  EXPECT_EQ(std::memcmp(x.rows.data(), y.rows.data(), x.rows.size() * sizeof(transaction)), 0);
  EXPECT_EQ(x.labels.size(), y.labels.size());
}

TEST(Generator, ZipfGivesTheHottestAccountItsShare) {
  random_bits random{3};
  const zipf draw{1000, 0.99};
  double weights = 0;
  for (int i = 1; i <= 1000; ++i) weights += std::pow(i, -0.99);
  int hottest = 0, coldest_half = 0;
  for (int i = 0; i < 100'000; ++i) {
    const auto id = draw(random);
    hottest += id == 0 ? 1 : 0;
    coldest_half += id >= 500 ? 1 : 0;
  }
  EXPECT_NEAR(hottest, 100'000 / weights, 600);
  EXPECT_NEAR(coldest_half, 9'600, 600);
}

TEST(Generator, AnUnknownKeyOrAWrongNumberIsNamed) {
  for (const auto& [text, error] :
       {std::pair{"rows=5,colour=1", "--generate: unknown key 'colour'"},
        std::pair{"rows=0", "--generate: rows: expected a number from 1 to"},
        std::pair{"rows=1.5", "--generate: rows: expected a number"},
        std::pair{"accounts",
                  "--generate: accounts: expected a number from 2 to 500000000, found ''"}}) {
    try {
      generator_settings::parse(text);
      FAIL() << text;
    } catch (const failure& e) {
      EXPECT_EQ(std::string{e.what()}.rfind(error, 0), 0U) << e.what();
    }
  }
}

}  // namespace
