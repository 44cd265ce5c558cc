// tests/apps/txmon/resume_test.cpp - a run that ends anywhere and goes on gives what an uninterrupted run gives.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "failure.hpp"
#include "runs.hpp"
#include "scratch.hpp"

namespace {

using namespace txmon;
using test::generated;
using test::memory_store;
using test::on_cpu;
using test::scratch;

constexpr const char* stream = "rows=60000,accounts=800,disorder=3000,gap=100,fraud=300";

session::settings settings_of(const generated& g, const std::string& folder) {
  auto s = on_cpu();
  s.verify = false;
  s.actors.schedule = g.rules;
  s.lateness_ms = 2'500;
  s.checkpoints = folder;
  s.epoch_rows = 9'000;
  s.input = stream;
  return s;
}

/// Ends a run by an exception after so many blocks.
void interrupted(const scratch& at, memory_store& store, std::uint64_t rows, bool resume,
                 std::uint32_t lanes) {
  generated g{stream};
  auto s = settings_of(g, at.path().string());
  s.resume = resume;
  s.actors.lanes = lanes;
  s.on_progress = [rows](std::uint64_t n) {
    if (n > rows) throw failure{"killed"};
  };
  session run{s, g.from, store};
  EXPECT_THROW(run.run(), failure);
}

TEST(Resume, ARunThatEndsTwiceAndGoesOnGivesTheSameAlertsCountsAndStates) {
  generated g{stream};
  const scratch a;
  memory_store once;
  session whole{settings_of(g, a.path().string()), g.from, once};
  whole.run();
  const auto& right = whole.counts().counts();
  ASSERT_GT(right.late, 100U);

  const scratch b;
  memory_store store;
  interrupted(b, store, 20'000, false, 1);
  interrupted(b, store, 37'000, true, 3);
  generated rest{stream};
  auto s = settings_of(rest, b.path().string());
  s.resume = true;
  s.actors.lanes = 2;
  session last{s, rest.from, store};
  EXPECT_TRUE(last.resumed());
  last.run();
  const auto& got = last.counts().counts();
  EXPECT_EQ(got.alerts_checksum, right.alerts_checksum);
  EXPECT_EQ(got.alerts, store.alerts().size());
  EXPECT_EQ(got.transactions, right.transactions);
  EXPECT_EQ(got.late, right.late);
  EXPECT_EQ(got.flagged, right.flagged);
  EXPECT_EQ(got.found, right.found);
  outcome x, y;
  x.accounts = last.accounts_now();
  y.accounts = whole.accounts_now();
  x.alerts = store.alerts();
  y.alerts = once.alerts();
  EXPECT_EQ(first_difference(x, y), std::nullopt);
}

TEST(Resume, BeforeTheFirstCheckpointItBeginsAnew) {
  const scratch at;
  memory_store store;
  interrupted(at, store, 1'000, false, 1);
  EXPECT_TRUE(store.epochs.empty());
  EXPECT_EQ(checkpoint_folder{at.path()}.newest(), 0U);
  generated g{stream};
  auto s = settings_of(g, at.path().string());
  s.resume = true;
  session run{s, g.from, store};
  EXPECT_FALSE(run.resumed());
  run.run();
  EXPECT_EQ(run.counts().counts().transactions, 60'000U);
}

TEST(Resume, ACompleteRunAddsNothing) {
  const scratch at;
  memory_store store;
  for (const bool again : {false, true}) {
    generated g{stream};
    auto s = settings_of(g, at.path().string());
    s.resume = again;
    session run{s, g.from, store};
    run.run();
    EXPECT_EQ(run.counts().counts().transactions, 60'000U);
    EXPECT_EQ(run.counts().counts().alerts, store.alerts().size());
  }
}

TEST(Resume, AnotherInputReadingStoreLatenessOrPastOfTheRulesIsRefused) {
  const scratch at;
  memory_store store;
  interrupted(at, store, 20'000, false, 1);
  const auto error = [&](auto change) {
    generated g{stream};
    auto s = settings_of(g, at.path().string());
    s.resume = true;
    change(s);
    try {
      const session run{s, g.from, store};
    } catch (const failure& e) {
      return std::string{e.what()};
    }
    return std::string{"no error"};
  };
  EXPECT_NE(error([](auto& s) { s.input = "other"; }).find("it was made with --input"),
            std::string::npos);
  EXPECT_NE(error([](auto& s) {
              s.reading_as = "other";
            }).find("it was made with its input read by '', not 'other'"),
            std::string::npos);
  EXPECT_NE(
      error([](auto& s) { s.alerts = "/b.db"; }).find("it was made with --alerts '', not '/b.db'"),
      std::string::npos);
  EXPECT_NE(error([](auto& s) { s.lateness_ms = 1; }).find("--lateness 2500"), std::string::npos);
  EXPECT_NE(error([](auto& s) {
              s.actors.schedule = test::rules_of(R"({"amount_limit": 1})");
            }).find("the rule file differs"),
            std::string::npos);
  EXPECT_EQ(error([](auto&) {}), "no error");
}

TEST(Resume, AFreshRunDoesNotMixItsCheckpointsWithThoseOfAnother) {
  const scratch at;
  memory_store store, fresh;
  interrupted(at, store, 20'000, false, 1);
  generated g{stream};
  EXPECT_THROW((session{settings_of(g, at.path().string()), g.from, fresh}), failure);
  interrupted(at, store, 30'000, true, 1);  // what was there still is
}

TEST(Resume, RulesMayGetAFutureWhileTheRunIsDown) {
  const scratch at;
  memory_store store;
  interrupted(at, store, 30'000, false, 2);
  generated g{stream};
  auto s = settings_of(g, at.path().string());
  s.resume = true;
  auto text = g.from.rule_file();
  text.insert(text.rfind('}'), R"(, "changes": [{"from_ms": 5000000, "amount_limit": 100}])");
  s.actors.schedule = test::rules_of(text);
  session run{s, g.from, store};
  run.run();

  generated g2{stream};
  auto s2 = settings_of(g2, "");
  s2.verify = true;
  s2.actors.schedule = test::rules_of(text);
  const test::whole_run right{g2.from, s2};
  EXPECT_EQ(right.difference, std::nullopt);
  EXPECT_EQ(run.counts().counts().alerts_checksum, right.counts.alerts_checksum);
}

}  // namespace
