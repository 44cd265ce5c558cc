// tests/tools/perdure_programs/savina_test.cpp - the Savina programs give their answers, at the
// edges of their options too.
// Timing decides nothing here: the answers are checked inside the program, which fails if one is
// wrong.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench_run.hpp"
#include "savina_rules.hpp"

namespace {

using nlohmann::json;

constexpr const char* names[] = {"ping_pong", "ping_pong_pairs", "count",
                                 "big",       "thread_ring",     "banking"};

TEST(BenchSavina, EveryProgramEndsWithCheckedOutcomes) {
  const ran r = run_bench("savina", "--scale 0.01 --pairs 20 --no-baselines");
  ASSERT_EQ(r.code, 0) << r.text;
  for (const std::string name : names) {
    const json& rate = r.report.at("results").at(name + "_messages_per_s");
    EXPECT_EQ(rate.at("samples").size(), 2U) << name;
    EXPECT_GT(rate.at("median").get<double>(), 0) << name;
    EXPECT_TRUE(r.report.at("config").contains(name));
  }
  EXPECT_EQ(r.report.at("runs").size(), 12U);
  EXPECT_EQ(r.report.at("answers").at("outcomes"), 12);
  EXPECT_EQ(r.report.at("answers").at("dead_letters"), 0);
  EXPECT_EQ(r.report.at("baselines").at("caf").at("skipped"), "--no-baselines was given");
  EXPECT_EQ(r.report.at("config").at("big").at("pings"), 200);
  EXPECT_EQ(r.report.at("config").at("scale"), 0.01);
  EXPECT_NE(r.text.find("0.01 times the usual size"), std::string::npos) << r.text;
  EXPECT_EQ(r.report.at("caf_main").at("mesh_of_1024"), 7.7e6);
}

TEST(BenchSavina, SmallestAndOddSizesHoldToo) {
  EXPECT_EQ(run_bench("savina", "--scale 1e-6 --pairs 1 --members 2 --no-baselines").code, 0);
  const ran r = run_bench("savina",
                          "--scale 0.0007 --burst 3 --window 1 --no-baselines --programs count "
                          "banking");
  EXPECT_EQ(r.code, 0) << r.text;
  EXPECT_EQ(r.report.at("runs").size(), 4U);
  EXPECT_EQ(run_bench("savina",
                      "--apart --scale 0.01 --pairs 7 --no-baselines --programs ping_pong count "
                      "ping_pong_pairs")
                .code,
            0);
  const ran wide =
      run_bench("savina", "--scale 0.1 --burst 1024 --window 32 --no-baselines --programs count");
  EXPECT_EQ(wide.code, 0) << wide.text;
}

TEST(BenchSavina, BehindTheWarmUpActorsMayMoveAndTheAnswersStay) {
  const ran r = run_bench(
      "savina", "--rebalance --scale 0.1 --pairs 7 --no-baselines --programs thread_ring banking");
  ASSERT_EQ(r.code, 0) << r.text;
  EXPECT_EQ(r.report.at("answers").at("outcomes"), 4);
  const json& ring = r.report.at("rebalanced").at("thread_ring");
  const auto apart = [&](const char* when) { return ring.at(when).at("elsewhere").get<double>(); };
  EXPECT_GT(apart("seen"), 0) << "neighbours sat on different workers";
  EXPECT_LT(apart("predicted"), 0.2 * apart("seen")) << ring;
  EXPECT_TRUE(r.report.at("rebalanced").contains("banking"));
}

TEST(BenchSavina, MissingCafIsSaid) {
  const ran r = run_bench("savina", "--scale 0.001 --programs thread_ring --caf /nowhere/caf");
  ASSERT_EQ(r.code, 0) << r.text;
  EXPECT_NE(r.report.at("baselines").at("caf").at("skipped").get<std::string>().find("/nowhere"),
            std::string::npos);
}

TEST(BenchSavina, CafThatNeverEndsIsEnded) {
  const std::string slow = ::testing::TempDir() + "perdure-slow-" + std::to_string(::getpid());
  std::ofstream{slow} << "#!/bin/sh\nexec sleep 100\n";
  std::filesystem::permissions(slow, std::filesystem::perms::owner_all);
  const ran r =
      run_bench("savina", "--scale 0.001 --programs thread_ring --caf-timeout 1 --caf " + slow);
  std::filesystem::remove(slow);
  ASSERT_EQ(r.code, 0) << r.text;
  EXPECT_NE(r.report.at("baselines").at("caf").at("skipped").get<std::string>().find("did not end"),
            std::string::npos);
}

TEST(BenchSavina, OptionsOutOfRangeAreRefused) {
  for (const char* bad : {"--members 1", "--burst 0", "--window 0", "--scale 0", "--pairs 0",
                          "--programs tennis", "--caf-threads 0"})
    EXPECT_GT(run_bench("savina", bad).code, 100) << bad;
}

#ifdef PERDURE_BENCH_CAF
TEST(BenchSavina, CafIsMeasuredByTheSameParameters) {
  const ran r = run_bench(
      "savina", "--scale 0.002 --pairs 20 --caf-threads 1 2 --caf '" PERDURE_BENCH_CAF "'");
  ASSERT_EQ(r.code, 0) << r.text;
  for (const std::string name : names) {
    const json& caf = r.report.at("caf").at(name);
    const bool two_ways = name == "count" || name == "banking";
    EXPECT_EQ(caf.at("tried").size(), two_ways ? 4U : 2U) << name;
    EXPECT_EQ(caf.at("best").at("checked"), true);
    EXPECT_GT(r.report.at("compared").at(name).at("ratio_to_caf_here").get<double>(), 0);
    std::uint64_t ours = 0;
    for (const json& run : r.report.at("runs"))
      if (run.at("program") == name) ours = run.at("messages");
    EXPECT_EQ(caf.at("best").at("messages"), ours) << name << ": not the same work";
  }
}
#endif

TEST(SavinaRules, NobodyPaysOrPingsHimself) {
  for (const std::uint32_t count : {2U, 3U, 120U, 1000U}) {
    for (std::uint32_t n = 0; n < 2000; ++n) {
      const savina::transfer t = savina::transfer_of(n, count);
      EXPECT_TRUE(t.from < count && t.to < count && t.from != t.to && t.cents >= 1);
      const std::uint32_t self = n % count, other = savina::partner_of(n * 7919, self, count);
      EXPECT_TRUE(other < count && other != self);
    }
  }
}

}  // namespace
