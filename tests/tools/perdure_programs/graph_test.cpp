// tests/tools/perdure_programs/graph_test.cpp - chains of actors carry the right words, and NVRTC
// takes the baseline.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "bench_run.hpp"
#include "graph_rules.hpp"
#include "runtime/jit/compile.hpp"
#include "runtime/jit/nvrtc.hpp"

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

class GraphBaseline : public testing::TestWithParam<const char*> {};

TEST_P(GraphBaseline, IsTakenByNvrtc) {
  namespace jit = perdure::runtime::jit;
  if (const auto found = jit::nvrtc::open(); !found)
    GTEST_SKIP() << "no NVRTC here: " << found.error().context();
  std::ifstream in{BASELINE_GRAPH, std::ios::binary};
  const std::string text{std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  jit::compile_options plain;
  plain.headers = {};
  plain.use_cache = false;
  const auto made = jit::compile(text, "baseline_graph.cu", GetParam(), plain);
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_NE(made->function("mix_word"), nullptr);
}
INSTANTIATE_TEST_SUITE_P(Architectures, GraphBaseline, testing::Values("sm_80", "sm_90", "sm_100"),
                         [](const auto& of) { return std::string{of.param}; });

}  // namespace
