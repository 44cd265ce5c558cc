// tests/apps/txmon/bench_test.cpp - what `txmon bench` measures is right before it is fast.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "account_view.hpp"
#include "batch.hpp"
#include "capacity.hpp"
#include "resident.hpp"
#include "right_answer.hpp"
#include "sliced_answer.hpp"
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
  r.states[1].seen += 1;
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

/// The states by pieces that do not end where slices do. @return what is said to be wrong, or nothing
std::string told_by_slices(const bench::workload& w, const std::vector<finding>& alerts,
                           std::span<const account> states) {
  bench::sliced_answer right{w, alerts, {.slice = 128, .threads = 2}};
  try {
    for (std::size_t at = 0; at < states.size(); at += 200)
      right.take(states.subspan(at, std::min<std::size_t>(200, states.size() - at)));
    right.expect("loop");
  } catch (const failure& wrong) {
    return wrong.what();
  }
  return "";
}

TEST(TxmonBench, TheOracleBySlicesIsTheOracleAndSeesWhatIsWrongInAnyOfThem) {
  for (const draw by : {draw::even, draw::zipf}) {
    const auto w = bench::make_workload(by, 1'000, 40'000, 3);
    auto r = baseline::single_thread(w.rows, w.accounts, rule_schedule{}.common(0));
    std::vector<finding> alerts;
    for (const alert& a : r.alerts) alerts.push_back(to_finding(a, 0));
    sort_alerts(alerts);
    ASSERT_GT(alerts.size(), 100U);
    EXPECT_EQ(told_by_slices(w, alerts, r.states), "");
    const auto all = std::span<const account>{r.states};
    EXPECT_NE(told_by_slices(w, alerts, all.first(999)), "");
    EXPECT_NE(told_by_slices(w, alerts, all.first(896)), "") << "a whole slice is missing";
    for (const std::size_t i : {0U, 127U, 128U, 999U}) {
      auto states = r.states;
      states[i].there.ms += 1;
      EXPECT_NE(told_by_slices(w, alerts, states), "") << i;
    }
    for (const std::size_t i : {std::size_t{0}, alerts.size() / 2, alerts.size() - 1}) {
      auto other = alerts;
      other[i].counterparty += 1;
      EXPECT_NE(told_by_slices(w, other, r.states), "") << i;
      other.erase(other.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_NE(told_by_slices(w, other, r.states), "") << i;
    }
  }
}

TEST(TxmonBench, TheOracleBySlicesEndsThoughNobodyAsksForItsAnswer) {
  const auto w = bench::make_workload(draw::even, 1'000, 4'000, 3);
  const std::vector<account> some(300);
  bench::sliced_answer left{w, {}, {.slice = 128, .threads = 2}};
  left.take(some);  // as when the next ones cannot be read
}
TEST(TxmonBench, CapacityFeedsPartByPartAndComparesAllAccounts) {
  auto o = small();
  o.accounts = 10'000;
  o.runs = 3;
  const auto report = bench::capacity(o);
  EXPECT_EQ(report["actors"]["transactions_per_s"]["samples"].size(), 3U);
  EXPECT_EQ(report["actors"]["handled"], 60'000U);
  EXPECT_EQ(report["actors"]["dead"], 0U);
  EXPECT_EQ(report["compared"]["accounts"], 10'000U);
  EXPECT_GT(report["compared"]["alerts"], 100U);
  EXPECT_GE(report["bytes_an_account"]["of_arena"], 456.0);
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
