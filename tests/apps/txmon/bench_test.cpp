// tests/apps/txmon/bench_test.cpp - what `txmon bench` measures is right before it is fast.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "account_view.hpp"
#include "batch.hpp"
#include "resident.hpp"
#include "right_answer.hpp"
#include "throughput.hpp"
#include "workload.hpp"
#include "failure.hpp"
#include "runtime/jit/compile.hpp"

namespace {

using namespace txmon;
using bench::draw;

bench::bench_options small() {
  bench::bench_options o;
  o.accounts = 640;
  o.transactions = 30'000;
  o.runs = 1;
  o.threads = o.readers = 2;
  o.backend = "cpu";
  return o;
}

TEST(TxmonBench, AStreamIsInTheOrderOfItsTimesAndRaisesMostKindsOfAlerts) {
  for (const draw by : {draw::even, draw::zipf, draw::one}) {
    const auto w = bench::make_workload(by, 500, 60'000, 7);
    for (std::size_t i = 1; i < w.rows.size(); ++i) {
      ASSERT_EQ(w.rows[i].number.get(), i + 1);
      ASSERT_LE(w.rows[i - 1].when(), w.rows[i].when());
    }
    const auto r = baseline::single_thread(w.rows, w.accounts, rule_schedule{}.common(0));
    std::set<rule> kinds;
    for (const alert& a : r.alerts) kinds.insert(a.fired);
    EXPECT_GE(kinds.size(), 5U) << name_of(by);
    EXPECT_LT(r.alerts.size(), w.rows.size() / 5) << name_of(by);
  }
}

TEST(TxmonBench, TheLoopByHandGivesTheOraclesAnswerAndAWrongOneIsSeen) {
  const auto w = bench::make_workload(draw::zipf, 300, 20'000, 3);
  const bench::right_answer right{w.rows, w.accounts, rule_schedule{}};
  auto r = baseline::single_thread(w.rows, w.accounts, rule_schedule{}.common(0));
  std::vector<finding> alerts;
  for (const alert& a : r.alerts) alerts.push_back(to_finding(a, 0));
  sort_alerts(alerts);
  ASSERT_GT(alerts.size(), 100U);
  const auto all = [&](const auto& use) { use(r.states); };
  EXPECT_NO_THROW(right.expect("loop", alerts, all));
  auto fewer = alerts;
  fewer.pop_back();
  EXPECT_THROW(right.expect("loop", fewer, all), failure);
  r.states[1].mean += 1;
  EXPECT_THROW(right.expect("loop", alerts, all), failure);
}

TEST(TxmonBench, TheOracleOfFewAccountsAmongManySeesTheOthersToo) {
  const auto w = bench::make_workload(draw::even, 5'000, 100, 3);
  const bench::right_answer right{w.rows, w.accounts, rule_schedule{}};
  auto r = baseline::single_thread(w.rows, w.accounts, rule_schedule{}.common(0));
  const auto all = [&](const auto& use) { use(r.states); };
  std::vector<finding> alerts;
  for (const alert& a : r.alerts) alerts.push_back(to_finding(a, 0));
  sort_alerts(alerts);
  EXPECT_NO_THROW(right.expect("loop", alerts, all));
  for (account& a : r.states) {
    if (a.seen != 0) continue;
    a.seen = 1;  // a posting that went astray
    break;
  }
  EXPECT_THROW(right.expect("loop", alerts, all), failure);
}

TEST(TxmonBench, ActorsFedFromMemoryGiveTheOraclesAnswer) {
  for (const draw by : {draw::even, draw::zipf, draw::one}) {
    const auto report = bench::throughput(small(), by);
    EXPECT_EQ(report["actors"]["transactions_per_s"]["samples"].size(), 1U);
    EXPECT_GT(bench::rate_of(report), 0);
    EXPECT_EQ(report["actors"]["dead"], 0U);
    EXPECT_GT(report["stream"]["alerts"], 100U);
  }
}

TEST(TxmonBench, MakersAmongTheAccountsGiveTheOraclesAnswer) {
  const auto report = bench::resident(small());
  EXPECT_EQ(report["makers"], 10U);
  EXPECT_EQ(report["stream"]["transactions"], 30'000U);
  EXPECT_EQ(report["actors"]["dead"], 0U);
}

TEST(TxmonBench, TheBatchByHandCompilesForAnH200) {
  if (!perdure::runtime::jit::compile("extern \"C\" __global__ void k() {}", "k.cu", "sm_90"))
    GTEST_SKIP() << "no NVRTC here";
  std::string log;
  ASSERT_NO_THROW(log = baseline::compile_for("sm_90"));
  EXPECT_NE(log.find("judge"), std::string::npos) << log;
}

}  // namespace
