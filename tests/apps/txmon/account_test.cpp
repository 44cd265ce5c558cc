// tests/apps/txmon/account_test.cpp - the account actor by itself, on a lane that only notes what it sends.
// Why: rules and state are checked against the oracle without tool, runtime or threads in between.
// SPDX-License-Identifier: Apache-2.0
#include "account.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "oracle.hpp"

namespace {

using namespace txmon;

/// A backend that runs one handler at a time and keeps the alerts.
struct noting_lane : perdure::detail::lane {
  std::vector<finding> alerts;
  std::uint64_t wrong_receivers = 0;
  perdure::detail::lane_ops table{};

  noting_lane() {
    table.send_host = [](perdure::detail::lane& l, std::uint64_t to, std::uint64_t key,
                         const void* m, std::uint32_t bytes) {
      auto& me = static_cast<noting_lane&>(l);
      alert a;
      if (to != 77 || key != perdure::detail::type_key<alert>() || bytes != sizeof a) {
        ++me.wrong_receivers;
        return;
      }
      std::memcpy(&a, m, sizeof a);
      me.alerts.push_back(
          {a.sequence, a.account, a.fired, a.direction, a.time_ms, a.value, a.limit});
    };
    ops = &table;
  }
};

/// Every account of a run, each called in the order of the transactions.
struct direct_run {
  explicit direct_run(const rules& r) : limits{r} {}
  rules limits;
  noting_lane lane;
  std::vector<account> all;

  account& at(std::uint32_t id) {
    while (all.size() <= id) {
      account a;
      a.alerts.bits = 77;
      a.limits = limits;
      a.id = static_cast<std::uint32_t>(all.size());
      all.push_back(a);
    }
    return all[id];
  }
  void take(const transaction& t) {
    perdure::context ctx{lane};
    at(t.debtor).on(posting{t.sequence, t.time_ms, t.cents, t.creditor, side::debit}, ctx);
    at(t.creditor).on(posting{t.sequence, t.time_ms, t.cents, t.debtor, side::credit}, ctx);
  }
  outcome finish() {
    outcome out;
    out.alerts = lane.alerts;
    sort_alerts(out.alerts);
    for (const auto& a : all) {
      out.accounts.push_back({a.balance_cents, a.mean_cents, a.squares, a.seen, a.alerted, {}});
      for (auto i = a.tail; i != a.head; ++i)
        out.accounts.back().window_ms.push_back(a.times[i % window_slots]);
    }
    return out;
  }
};

TEST(Account, AgreesWithTheOracleOnRandomStreams) {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random{seed};
    rules r;
    r.amount_limit_cents = static_cast<std::int64_t>(random() % 2'000'000);
    r.velocity_window_ms = 1 + static_cast<std::int64_t>(random() % 5'000);
    r.velocity_limit = 1 + static_cast<std::uint32_t>(random() % 31);
    r.deviation_min_count = 1 + static_cast<std::uint32_t>(random() % 30);
    r.deviation_factor = static_cast<double>(random() % 400) / 100.0;
    direct_run actors{r};
    oracle expected{r};
    const std::uint32_t people = 1 + static_cast<std::uint32_t>(random() % 40);
    std::int64_t now = 0;
    for (std::uint64_t i = 1; i <= 3'000; ++i) {
      now += static_cast<std::int64_t>(random() % 3 == 0 ? random() % 400 : 0);
      const transaction t{
          i,
          now,
          static_cast<std::int64_t>(random() % (std::uint64_t{1} << (random() % 43))),
          static_cast<std::uint32_t>(random() % people),
          static_cast<std::uint32_t>(random() % people),
          false};
      actors.take(t);
      expected.take(t);
    }
    const auto got = actors.finish();
    ASSERT_EQ(first_difference(got, expected.finish()), std::nullopt) << "seed " << seed;
    ASSERT_FALSE(got.alerts.empty()) << "seed " << seed;
    ASSERT_EQ(actors.lane.wrong_receivers, 0U);
  }
}

TEST(Account, ItsStateIsPlainAndFitsIntoASlot) {
  static_assert(std::is_trivially_copyable_v<account> && std::is_trivially_copyable_v<posting> &&
                std::is_trivially_copyable_v<alert>);
  EXPECT_LE(sizeof(account), 448U);
  EXPECT_LE(sizeof(posting), 38U);  // a posting and its envelope are one 64-byte slot
}

TEST(Account, TheWindowSurvivesItsCountersWrappingRound) {
  account a;
  a.head = a.tail = 0xfffffff0U;
  a.limits.velocity_limit = 31;
  a.limits.velocity_window_ms = 1'000;
  noting_lane lane;
  a.alerts.bits = 77;
  perdure::context ctx{lane};
  for (std::uint64_t i = 1; i <= 40; ++i)
    a.on(posting{i, static_cast<std::int64_t>(i), 0, 0, side::credit}, ctx);
  EXPECT_EQ(a.head - a.tail, 32U);
  EXPECT_EQ(a.times[a.tail % window_slots], 9);
  ASSERT_EQ(lane.alerts.size(), 9U);  // 32nd to 40th posting
  EXPECT_EQ(lane.alerts[0].sequence, 32U);
}

}  // namespace
