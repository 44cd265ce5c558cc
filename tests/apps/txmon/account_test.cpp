// tests/apps/txmon/account_test.cpp - the account actor by itself, on a lane that only notes what it sends.
// Why: rules and state are checked against the oracle without tool, runtime or threads in between.
// SPDX-License-Identifier: Apache-2.0
#include "account.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "account_view.hpp"
#include "oracle.hpp"
#include "records.hpp"

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
      me.alerts.push_back(to_finding(a, 0));
    };
    ops = &table;
  }
};

/// Every account of a run, each called in the order of the transactions: one by one, or by on_run() as far as that goes.
struct direct_run {
  noting_lane lane;
  std::vector<account> all;
  bool in_runs;
  std::vector<std::vector<transaction>> waiting;
  std::mt19937_64 random{7};
  std::uint64_t together = 0, alone = 0;

  explicit direct_run(std::uint32_t accounts, bool by_runs = false)
      : all(accounts), in_runs{by_runs}, waiting(accounts) {
    for (auto& a : all) a.alerts.bits = 77;
  }
  void say(std::uint32_t id, const terms& t) {
    flush(id);
    perdure::context ctx{lane};
    all[id].on(t, ctx);
  }
  void take(transaction t) {
    give(t.account.get(), t);
    t.type |= transaction::credit_bit;
    give(t.counterparty.get(), t);
  }
  void give(std::uint32_t id, const transaction& t) {
    waiting[id].push_back(t);
    if (!in_runs || random() % 40 == 0) flush(id);
  }
  void flush(std::uint32_t id) {
    const std::vector<transaction>& those = waiting[id];
    for (std::size_t at = 0; at < those.size();) {
      if (in_runs) {
        const auto size =
            static_cast<std::uint32_t>(std::min<std::size_t>(those.size() - at, 1 + random() % 32));
        perdure::detail::run_calls calls{lane};
        const std::uint32_t n =
            all[id].on_run(perdure::run<transaction>::of(size, &those[at], calls));
        ASSERT_LE(n, size);
        together += n;
        at += n;
        if (n == size) continue;
      }
      perdure::context ctx{lane};
      all[id].on(those[at++], ctx);
      ++alone;
    }
    waiting[id].clear();
  }
  outcome finish() {
    for (std::uint32_t id = 0; id < all.size(); ++id) flush(id);
    outcome out;
    out.alerts = lane.alerts;
    sort_alerts(out.alerts);
    for (const auto& a : all) out.accounts.push_back(figures_of(a));
    return out;
  }
};

terms random_terms(std::mt19937_64& random) {
  const auto below = [&](std::uint64_t n) { return random() % n; };
  terms t;
  rules& r = t.limits;
  r.amount_limit = static_cast<std::uint32_t>(below(20'000));
  r.pep_limit = static_cast<std::uint32_t>(below(10'000));
  r.rapid_least = static_cast<std::uint32_t>(below(1'000));
  for (auto* window :
       {&r.velocity_window_ms, &r.structuring_window_ms, &r.rapid_window_ms, &r.travel_window_ms})
    *window = static_cast<std::uint32_t>(1 + below(std::uint64_t{1} << below(31)));
  r.deviation_hundredths = static_cast<std::uint16_t>(below(400));
  r.deviation_count = static_cast<std::uint16_t>(1 + below(30));
  r.velocity_limit = static_cast<std::uint8_t>(1 + below(29));
  r.velocity_high = static_cast<std::uint8_t>(1 + below(4));
  r.velocity_critical = static_cast<std::uint8_t>(1 + below(6));
  r.amount_high = static_cast<std::uint8_t>(1 + below(4));
  r.amount_critical = static_cast<std::uint8_t>(1 + below(6));
  r.structuring_count = static_cast<std::uint8_t>(1 + below(4));
  r.structuring_percent = static_cast<std::uint8_t>(below(101));
  r.rapid_percent = static_cast<std::uint8_t>(1 + below(100));
  for (auto& word : r.high_risk) word = random() & random();
  t.who.pep = below(4) == 0;
  if (below(2) == 0) t.who.home = static_cast<std::uint8_t>(1 + below(8));
  for (auto& c : t.who.allowed) c = static_cast<std::uint8_t>(below(8));
  return t;
}

void agrees_on_random_streams(bool by_runs) {
  std::uint64_t together = 0;
  std::array<std::uint64_t, rule_count> fired{};
  for (unsigned seed = 1; seed <= 80; ++seed) {
    std::mt19937_64 random{seed};
    const std::uint32_t people = 1 + static_cast<std::uint32_t>(random() % 30);
    constexpr std::uint64_t rows = 3'000, change_at = 1'500;
    // Numbers near the end of 48 bits, times that leap over 2^32 ms now and then.
    const std::uint64_t first = (std::uint64_t{1} << 48U) - random() % 4'000;
    const unsigned steep = static_cast<unsigned>(random() % 30);
    std::vector<std::array<terms, 2>> said(people);
    for (auto& two : said) two = {random_terms(random), random_terms(random)};

    direct_run actors{people, by_runs};
    oracle expected;
    std::int64_t now = 0, changed_ms = 0;
    for (std::uint32_t id = 0; id < people; ++id) actors.say(id, said[id][0]);
    for (std::uint64_t i = 0; i < rows; ++i) {
      now +=
          static_cast<std::int64_t>(random() % 3 == 0 ? random() % (std::uint64_t{2} << steep) : 0);
      if (random() % 500 == 0) now += std::int64_t{1} << (random() % 36);
      if (i == change_at) {
        changed_ms = ++now;
        for (std::uint32_t id = 0; id < people; ++id) actors.say(id, said[id][1]);
      }
      test::fields f;
      f.number = first + i;
      f.time_ms = now;
      f.cents = static_cast<std::int64_t>(random() % (std::uint64_t{1} << (random() % 43)));
      f.account = static_cast<std::uint32_t>(random() % people);
      f.counterparty = static_cast<std::uint32_t>(random() % people);
      f.via = static_cast<channel>(random() % channel_count);
      transaction t = test::record(f);
      t.country = static_cast<std::uint16_t>(random() % 9);
      actors.take(t);
      expected.take(t);
    }
    const auto right = expected.finish(people, [&](std::uint32_t id, std::int64_t time) {
      return said[id][time >= changed_ms ? 1 : 0];
    });
    auto got = actors.finish();
    for (auto& a : got.accounts) {  // the state keeps 48 bits of what it remembers
      for (auto* list : {&a.recent_numbers, &a.near_numbers})
        for (auto& n : *list) n += n < (std::uint64_t{1} << 47U) ? std::uint64_t{1} << 48U : 0;
      for (auto& c : a.credits)
        c.number += c.number < (std::uint64_t{1} << 47U) ? std::uint64_t{1} << 48U : 0;
      if (a.presence_country != 0 && a.presence_number < (std::uint64_t{1} << 47U))
        a.presence_number += std::uint64_t{1} << 48U;
    }
    ASSERT_EQ(first_difference(got, right), std::nullopt) << "seed " << seed;
    ASSERT_EQ(actors.lane.wrong_receivers, 0U);
    for (const auto& f : got.alerts) ++fired[static_cast<unsigned>(f.fired)];
    together += actors.together;
  }
  for (unsigned r = 0; r < rule_count; ++r)
    EXPECT_GT(fired[r], 1'000U) << name_of(static_cast<rule>(r));
  if (by_runs) {
    EXPECT_GT(together, 50'000U);
  }
}

TEST(Account, AgreesWithTheOracleOnRandomStreamsTermsAndChanges) {
  agrees_on_random_streams(false);
}
TEST(Account, AgreesWithTheOracleWhereItsPostingsComeInRuns) { agrees_on_random_streams(true); }

/// A busy account under the usual rules: most of its postings are quiet, and each window turns over many times.
TEST(Account, MostOfABusyAccountsPostingsAreHandledTogether) {
  unsigned quiet = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    std::mt19937_64 random{seed};
    const std::uint32_t people = 1 + static_cast<std::uint32_t>(random() % 3);
    const std::uint64_t gap_ms = std::uint64_t{1} << (14 + random() % 9);
    direct_run actors{people, true};
    oracle expected;
    terms usual;
    usual.limits.rapid_least = random() % 2 == 0 ? 1'000 : 100'000;
    for (std::uint32_t id = 0; id < people; ++id) actors.say(id, usual);
    std::int64_t now = 0;
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      now += static_cast<std::int64_t>(random() % gap_ms);
      test::fields f;
      f.number = 1 + i;
      f.time_ms = now;
      f.cents = static_cast<std::int64_t>(100 + random() % 30'000);
      if (random() % 500 == 0) f.cents = random() % 2 == 0 ? 950'000 : 1'500'000;
      f.account = static_cast<std::uint32_t>(random() % people);
      f.counterparty = static_cast<std::uint32_t>(random() % people);
      f.via = static_cast<channel>(random() % channel_count);
      transaction t = test::record(f);
      t.country = static_cast<std::uint16_t>(random() % 300 == 0 ? 2 : random() % 5 == 0 ? 0 : 1);
      actors.take(t);
      expected.take(t);
    }
    const auto right = expected.finish(people, [&](std::uint32_t, std::int64_t) { return usual; });
    ASSERT_EQ(first_difference(actors.finish(), right), std::nullopt) << "seed " << seed;
    // fewer postings in ten minutes than rule 1 wants
    const bool seldom = gap_ms * people > 1U << 20U;
    if (!seldom) continue;
    EXPECT_GT(actors.together, (usual.limits.rapid_least > 1'000 ? 5 : 1) * actors.alone)
        << "seed " << seed;
    ++quiet;
  }
  EXPECT_GT(quiet, 8U);
}

/// What is added up for a run has 31 or 32 bits, so amounts near that, and many of half of it, end runs.
TEST(Account, AgreesWithTheOracleWhereARunsSumsHaveNoRoom) {
  std::uint64_t together = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    std::mt19937_64 random{seed};
    const std::uint32_t people = 1 + static_cast<std::uint32_t>(random() % 2);
    const std::uint64_t gap_ms = std::uint64_t{1} << (random() % 23);
    terms wide;
    wide.limits.amount_limit = ~0U;
    wide.limits.velocity_limit = 29;
    wide.limits.rapid_least = random() % 2 == 0 ? 0 : static_cast<std::uint32_t>(random());
    wide.limits.rapid_percent = static_cast<std::uint8_t>(1 + random() % 100);
    wide.limits.rapid_window_ms = static_cast<std::uint32_t>(1 + random() % (64 * gap_ms));
    wide.limits.velocity_window_ms = static_cast<std::uint32_t>(1 + random() % (32 * gap_ms));
    direct_run actors{people, true};
    oracle expected;
    for (std::uint32_t id = 0; id < people; ++id) actors.say(id, wide);
    std::int64_t now = 0;
    for (std::uint64_t i = 0; i < 3'000; ++i) {
      now += static_cast<std::int64_t>(random() % gap_ms);
      constexpr std::int64_t limits[] = {0, 1 << 26, std::int64_t{1} << 30, std::int64_t{1} << 31};
      test::fields f;
      f.number = 1 + i;
      f.time_ms = now;
      f.cents = random() % (2 + seed % 40) != 0
                    ? static_cast<std::int64_t>(random() % (1U << seed % 24))
                    : limits[random() % 4] + static_cast<std::int64_t>(random() % 4);
      f.account = static_cast<std::uint32_t>(random() % people);
      f.counterparty = static_cast<std::uint32_t>(random() % people);
      transaction t = test::record(f);
      t.country = 0;
      actors.take(t);
      expected.take(t);
    }
    const auto right = expected.finish(people, [&](std::uint32_t, std::int64_t) { return wide; });
    ASSERT_EQ(first_difference(actors.finish(), right), std::nullopt) << "seed " << seed;
    together += actors.together;
  }
  EXPECT_GT(together, 50'000U);
}

TEST(Account, ItsStateIsPlainAndFitsIntoASlot) {
  static_assert(std::is_trivially_copyable_v<account> &&
                std::is_trivially_copyable_v<transaction> && std::is_trivially_copyable_v<alert> &&
                std::is_trivially_copyable_v<terms>);
  EXPECT_LE(sizeof(account), 448U);
  EXPECT_EQ(sizeof(transaction), 38U);  // with its envelope one 64-byte slot
  EXPECT_LE(sizeof(alert), 240U);       // what a message to the host may carry
}

}  // namespace
