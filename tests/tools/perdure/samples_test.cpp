// tests/tools/perdure/samples_test.cpp - the numbers that stand for samples, and the graph that
// tokens walk.
// SPDX-License-Identifier: Apache-2.0
#include "samples.hpp"

#include <gtest/gtest.h>

#include <set>

#include "bench_actors.hpp"

namespace {

TEST(Samples, PercentileIsTheNearestRank) {
  std::vector<double> s{5, 1, 4, 2, 3};
  EXPECT_EQ(bench::percentile(s, 50), 3);
  EXPECT_EQ(bench::percentile(s, 90), 5);
  EXPECT_EQ(bench::percentile(s, 20), 1);
  EXPECT_EQ(bench::percentile(s, 0), 1);
  std::vector<double> none;
  EXPECT_EQ(bench::percentile(none, 50), 0);
}

TEST(Samples, SummaryKeepsTheRawSamplesInTheirOrder) {
  const auto s = bench::summary({4, 2, 3});
  EXPECT_EQ(s.at("median"), 3);
  EXPECT_EQ(s.at("min"), 2);
  EXPECT_EQ(s.at("max"), 4);
  EXPECT_NEAR(s.at("spread").get<double>(), 2.0 / 3, 1e-12);
  EXPECT_EQ(s.at("samples"), (std::vector<double>{4, 2, 3}));
}

TEST(Statistics, TheIntervalOfAMedianHoldsItAndIsTheSameEveryTime) {
  const std::vector<double> s{3, 1, 4, 1, 5, 9, 2, 6, 5};
  const bench::interval a = bench::median_interval(s), b = bench::median_interval(s);
  EXPECT_LE(a.low, 4);
  EXPECT_GE(a.high, 4);
  EXPECT_LT(a.low, a.high);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
  EXPECT_EQ(bench::median_interval({7}).low, 7);
  EXPECT_EQ(bench::median_interval({}).high, 0);
}

TEST(Statistics, ARatioThatIsClearIsAVerdict) {
  const std::vector<double> slow{10, 11, 12, 11, 10}, fast{20, 22, 24, 23, 21};
  EXPECT_EQ(bench::compare(fast, slow, true).at("verdict"), "better");
  EXPECT_EQ(bench::compare(fast, slow, false).at("verdict"), "worse");
  EXPECT_EQ(bench::compare(slow, slow, true).at("verdict"), "neither");
  EXPECT_EQ(bench::compare(fast, slow, true).at("cliffs_delta"), 1.0);
  EXPECT_NEAR(bench::compare(fast, slow, true).at("ratio").get<double>(), 2.0, 1e-12);
  EXPECT_TRUE(bench::compare({}, slow, true).contains("skipped"));
}

TEST(Statistics, AResultIsComparedWithTheBaselinesOfItsName) {
  nlohmann::json r{{"results", {{"p50_us", bench::summary({4, 5, 6})}, {"p99_us", {}}}},
                   {"baselines",
                    {{"launch_sync_p50_us", bench::summary({8, 10, 12})},
                     {"launch_sync_p99_us", bench::summary({1})},
                     {"graph", {{"skipped", "no device"}}}}}};
  bench::add_comparisons(r);
  ASSERT_EQ(r.at("comparisons").size(), 1U);
  EXPECT_EQ(r.at("comparisons").at(0).at("baseline"), "launch_sync_p50_us");
  EXPECT_EQ(r.at("comparisons").at(0).at("ratio"), 0.5);
}

TEST(Statistics, AResultIsComparedWithTheBaselinesThatTheReportNames) {
  nlohmann::json r{{"results", {{"line_10_wide_send_us", bench::summary({2, 2, 2})}}},
                   {"baselines",
                    {{"line_10_graph_repeat_launch_us", bench::summary({4, 4, 4})},
                     {"line_10_graph_record_us", bench::summary({1})}}}};
  r["beside"]["line_10_wide_send_us"] = {"line_10_graph_repeat_launch_us", "not_there"};
  bench::add_comparisons(r);
  ASSERT_EQ(r.at("comparisons").size(), 1U);
  EXPECT_EQ(r.at("comparisons").at(0).at("ratio"), 0.5);
  EXPECT_EQ(r.at("comparisons").at(0).at("verdict"), "better");
}

TEST(BenchActors, EveryEdgeIsAPermutation) {
  for (unsigned e = 0; e < bench::edges; ++e) {
    for (const std::uint32_t count : {1U, 2U, 1000U, 5000U}) {
      std::set<std::uint32_t> reached;
      for (std::uint32_t i = 0; i < count; ++i) reached.insert(bench::neighbour(e, i, count));
      EXPECT_EQ(reached.size(), count) << "edge " << e;
    }
  }
}

TEST(BenchActors, TokenSurvivesThePayload) {
  const bench::token t{0x89abcdefU, 0x12345678U, 0xfedcba98U, 0x0123456789abcdefU, 3};
  for (const bench::token& u : {bench::unpack(bench::loaded<bench::parcel>(t).halves),
                                bench::unpack(bench::loaded<bench::slip>(t).halves)}) {
    EXPECT_EQ(u.walk, t.walk);
    EXPECT_EQ(u.left, t.left);
    EXPECT_EQ(u.number, t.number);
    EXPECT_EQ(u.stamp, t.stamp);
    EXPECT_EQ(u.edge, t.edge);
  }
}

}  // namespace
