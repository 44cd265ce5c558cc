// tests/tools/perdure_programs/graph_test.cpp - chains of actors carry the right words.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "bench_run.hpp"
#include "graph_rules.hpp"

namespace {

using nlohmann::json;

TEST(BenchGraph, EveryChainComesBackWithItsWord) {
  const ran r = run_bench("graph", "--lengths 1 2 9 --repeats 3 --chains 3");
  ASSERT_EQ(r.code, 0) << r.text;
  for (const std::string shape : {"line_1", "line_2", "line_9", "3x1", "3x2", "3x9"}) {
    for (const std::string kind : {"_small_far", "_small_near", "_wide"}) {
      const json& end = r.report.at("results").at(shape + kind + "_end_to_end_us");
      EXPECT_EQ(end.at("samples").size(), 2U) << shape << kind;
      EXPECT_GT(end.at("median").get<double>(), 0);
      EXPECT_TRUE(r.report.at("results").contains(shape + kind + "_send_us"));
    }
  }
  // 12 nodes in a line and thrice that in parallel, three kinds of actors, 5 to warm up and 2 runs
  // of 3
  EXPECT_EQ(r.report.at("answers").at("steps"), 12 * 4 * 3 * 11);
  EXPECT_EQ(r.report.at("answers").at("dead_letters"), 0);
  EXPECT_EQ(r.report.at("baselines").at("graph").at("skipped"), "--backend cpu was given");
}

TEST(BenchGraph, MoreChainsThanWorkersHoldToo) {
  const ran r = run_bench("graph", "--lengths 40 --repeats 2 --chains 7");
  EXPECT_EQ(r.code, 0) << r.text;
}

TEST(BenchGraph, OptionsOutOfRangeAreRefused) {
  for (const char* bad : {"--lengths 0", "--chains 1", "--repeats 0"})
    EXPECT_GT(run_bench("graph", bad).code, 100) << bad;
}

TEST(GraphRules, AWholeChainIsItsStepsInOrder) {
  EXPECT_EQ(chains::run_through(5, 0), 5U);
  EXPECT_EQ(chains::run_through(5, 2), chains::mixed(chains::mixed(5, 0), 1));
  EXPECT_NE(chains::mixed(chains::mixed(5, 1), 0), chains::run_through(5, 2));
}

}  // namespace
