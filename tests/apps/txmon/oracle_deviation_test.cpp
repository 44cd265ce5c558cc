// tests/apps/txmon/oracle_deviation_test.cpp - rule 6 of README.md on cases worked out by hand, to the cent.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "oracle_feed.hpp"

namespace {

using namespace txmon;
using test::feed;
using test::hour;
using test::numbers;

TEST(Oracle, DeviationJudgesAgainstWhatCameBefore) {
  // 10, 20, 30, 40: mean 25, deviation sqrt(125) = 11.18; 25 + 2 * 11.18 = 47.36
  for (const auto& [cents, fires] : {std::pair{47, false}, std::pair{48, true}}) {
    feed f;
    f.own.limits.deviation_count = 4;
    f.own.limits.deviation_hundredths = 200;
    for (int i = 1; i <= 4; ++i) f.pay(i * hour, i * 10);
    f.receive(50 * hour, cents);
    outcome all;
    const auto a = f.alerts(&all);
    ASSERT_EQ(a.size(), fires ? 1U : 0U) << cents;
    if (fires) {
      EXPECT_EQ(a[0].fired, rule::deviation);
      EXPECT_EQ(a[0].level, severity::medium);
      EXPECT_EQ(a[0].score, 16);
      EXPECT_EQ(a[0].value, 48);
      EXPECT_EQ(a[0].limit, 47.0);
      EXPECT_EQ(a[0].from_ms, 50 * hour);
      EXPECT_EQ(a[0].evidence, numbers{5});
    }
    EXPECT_EQ(all.accounts[0].squares_low, 3000U + static_cast<unsigned>(cents * cents));
    EXPECT_EQ(all.accounts[0].squares_high, 0U);
  }
}

/// The limit of rule 6 where it fires at `cents` after postings of these amounts, in turn credit and debit.
std::optional<double> deviation_limit(const std::vector<std::int64_t>& before, std::int64_t cents,
                                      std::uint16_t hundredths) {
  oracle judge;
  std::uint64_t n = 0;
  const auto post = [&](std::int64_t x) {
    const std::uint32_t debit = n++ % 2;
    judge.take(test::record({n, static_cast<std::int64_t>(n) * hour, x, 1 - debit, debit}));
  };
  for (const auto x : before) post(x);
  post(cents);
  const auto out = judge.finish(1, [&](std::uint32_t, std::int64_t) {
    terms t;
    t.limits.deviation_count =
        static_cast<std::uint16_t>(std::min<std::size_t>(before.size(), 65535));
    t.limits.deviation_hundredths = hundredths;
    return t;
  });
  for (const finding& f : out.alerts)
    if (f.fired == rule::deviation && f.number == n) return f.limit;
  return std::nullopt;
}

TEST(Oracle, DeviationIsSilentAtALimitOfWholeCentsAndFiresOneAbove) {
  const std::vector<std::int64_t> before{10, 30, 30, 10};  // mean 20, deviation 10
  EXPECT_EQ(deviation_limit(before, 40, 200), std::nullopt);
  EXPECT_EQ(deviation_limit(before, 41, 200), 40.0);
  EXPECT_EQ(deviation_limit(before, 9'000'000'000'000, 200), 40.0);
  EXPECT_EQ(deviation_limit(before, 20, 0), std::nullopt);
  EXPECT_EQ(deviation_limit(before, 21, 0), 20.0);
  EXPECT_EQ(deviation_limit(before, 0, 0), std::nullopt);
  EXPECT_EQ(deviation_limit(before, 6570, 65500), std::nullopt);
  EXPECT_EQ(deviation_limit(before, 6571, 65500), 6570.0);
  // mean 10/3, deviation sqrt(2/9): a factor of 1 allows 3.80
  EXPECT_EQ(deviation_limit({3, 3, 4}, 3, 100), std::nullopt);
  EXPECT_EQ(deviation_limit({3, 3, 4}, 4, 100), 3.0);
}

TEST(Oracle, DeviationAfterEqualAmountsFiresOneCentAbove) {
  for (const std::int64_t x :
       {std::int64_t{0}, std::int64_t{12'345}, std::int64_t{8'999'999'999'999}})
    for (const std::size_t count : {1U, 3U, 7U, 49U})
      for (const std::uint16_t hundredths : {std::uint16_t{0}, std::uint16_t{65500}}) {
        const std::vector<std::int64_t> before(count, x);
        EXPECT_EQ(deviation_limit(before, x, hundredths), std::nullopt) << x;
        EXPECT_EQ(deviation_limit(before, x + 1, hundredths), static_cast<double>(x)) << x;
        EXPECT_EQ(deviation_limit(before, x / 2, hundredths), std::nullopt) << x;
      }
}

TEST(Oracle, DeviationSeesACentBesideTheGreatestAmounts) {
  // The deviation is 100 cents, and the squares have 87 bits each.
  const std::int64_t mean = 8'999'999'999'000;
  std::vector<std::int64_t> before;
  for (const int off : {-100, 100, 100, -100}) before.push_back(mean + off);
  EXPECT_EQ(deviation_limit(before, mean + 400, 400), std::nullopt);
  EXPECT_EQ(deviation_limit(before, mean + 401, 400), static_cast<double>(mean + 400));
  // Mean and deviation are 2e12: both sides of the comparison need 129 bits.
  before.clear();
  for (int i = 0; i < 32'768; ++i) before.push_back(i % 4 < 2 ? 0 : 4'000'000'000'000);
  EXPECT_EQ(deviation_limit(before, 8'000'000'000'000, 300), std::nullopt);
  EXPECT_EQ(deviation_limit(before, 8'000'000'000'001, 300), 8e12);
}

TEST(Oracle, DeviationAddsUpMoreThanSixtyFourBits) {
  // What came in and what went out fit 64 bits each, but not together.
  const std::vector<std::int64_t> before(2'100'000, 8'999'999'999'000);
  EXPECT_EQ(deviation_limit(before, 8'999'999'999'001, 400), 8'999'999'999'000.0);
}

TEST(Oracle, TheLimitOfDeviationIsTheMostCentsThatWouldNotHaveFired) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    std::mt19937_64 random{seed};
    const auto below = [&](std::int64_t end) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end));
    };
    const std::int64_t largest = std::int64_t{1} << (1 + below(40));
    std::vector<std::int64_t> before;
    for (auto n = 1 + below(40); n > 0; --n) before.push_back(below(largest));
    const auto hundredths = static_cast<std::uint16_t>(below(700));
    const auto limit = deviation_limit(before, 9'000'000'000'000'000, hundredths);
    ASSERT_TRUE(limit) << "seed " << seed;
    const auto cents = static_cast<std::int64_t>(*limit);
    EXPECT_EQ(static_cast<double>(cents), *limit) << "seed " << seed;
    EXPECT_EQ(deviation_limit(before, cents, hundredths), std::nullopt) << "seed " << seed;
    EXPECT_EQ(deviation_limit(before, cents + 1, hundredths), *limit) << "seed " << seed;
  }
}

TEST(Oracle, SquaresAreSummedToTheLastOf128Bits) {
  feed f;
  f.receive(0, 9'000'000'000'000);
  f.pay(hour, 8'999'999'999'999);
  outcome all;
  f.alerts(&all);
  // 81e24 and 80'999'999'999'982'000'000'000'001
  EXPECT_EQ(all.accounts[0].squares_high, 8'782'037U);
  EXPECT_EQ(all.accounts[0].squares_low, 11'015'133'990'454'878'209U);
}

}  // namespace
