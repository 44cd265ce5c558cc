// tests/apps/txmon/monitor_test.cpp - the accounts as actors on CPU threads, over the real rows.
// SPDX-License-Identifier: Apache-2.0
#include "monitor.hpp"

#include <gtest/gtest.h>

#include <array>

#include "real_run.hpp"
#include "report.hpp"

namespace {

using namespace txmon;
using test::real_run;

monitor::settings on_cpu() {
  monitor::settings s;
  s.system.backend = perdure::backend::cpu;
  return s;
}

TEST(Monitor, TheRealRowsGiveTheOraclesAlertsAndStates) {
  const real_run r{TXMON_INPUT, on_cpu()};
  EXPECT_EQ(first_difference(r.got, r.expected), std::nullopt);
  EXPECT_EQ(r.fraud.size(), 19'999U);
  EXPECT_EQ(r.got.accounts.size(), 32'870U);
  std::array<int, rule_count> fired{};
  for (const auto& f : r.got.alerts) ++fired[static_cast<std::size_t>(f.fired)];
  for (const int n : fired) EXPECT_GT(n, 50);
  const auto labels = score(r.fraud, r.got.alerts);
  EXPECT_EQ(labels.fraud, 81U);
  EXPECT_GT(labels.hits, 0U);
  EXPECT_LE(labels.hits, labels.flagged);
}

TEST(Monitor, EveryPostingIsHandledOnceAndNoneIsLost) {
  const real_run r{TXMON_INPUT, on_cpu()};
  EXPECT_EQ(r.figures.messages.host_sent, 2U * 19'999);
  EXPECT_EQ(r.figures.messages.handled, 2U * 19'999);
  EXPECT_EQ(r.figures.messages.dead_total(), 0U);
  EXPECT_EQ(r.figures.messages.to_mailboxes, r.got.alerts.size());
}

TEST(Monitor, AMailboxOfAFewSlotsHoldsTheAccountsUpAndLosesNothing) {
  auto s = on_cpu();
  s.mailbox_slots = 16;
  s.limits.amount_limit_cents = 0;  // every debit alerts
  s.limits.velocity_limit = 1;
  const real_run r{TXMON_INPUT, s};
  EXPECT_EQ(first_difference(r.got, r.expected), std::nullopt);
  EXPECT_GT(r.got.alerts.size(), 19'000U);
}

TEST(Monitor, SmallInboxesAndManyWorkersChangeNothing) {
  auto s = on_cpu();
  s.system.workers = 7;
  s.system.inbox_slots = 64;
  const real_run r{TXMON_INPUT, s};
  EXPECT_EQ(first_difference(r.got, r.expected), std::nullopt);
}

TEST(Monitor, AnySeededScheduleGivesTheSame) {
  for (const std::uint64_t seed : {1U, 20'261'121U}) {
    auto s = on_cpu();
    s.system.schedule = perdure::schedule::seeded;
    s.system.workers = 3;
    s.system.seed = seed;
    const real_run r{TXMON_INPUT, s};
    EXPECT_EQ(first_difference(r.got, r.expected), std::nullopt) << "seed " << seed;
  }
}

TEST(Monitor, AnEmptyStreamEndsAtOnce) {
  monitor m{on_cpu()};
  const auto out = m.finish(0);
  EXPECT_TRUE(out.alerts.empty());
  EXPECT_TRUE(out.accounts.empty());
}

TEST(Report, ScoresCountATransactionOnceHoweverManyAlertsItHas) {
  std::vector<finding> alerts(4);
  alerts[0].sequence = alerts[1].sequence = 1;
  alerts[2].sequence = 2;
  alerts[3].sequence = 4;
  const auto l = score({true, false, true, false}, alerts);
  EXPECT_EQ(l.fraud, 2U);
  EXPECT_EQ(l.flagged, 3U);
  EXPECT_EQ(l.hits, 1U);
}

}  // namespace
