// tests/apps/txmon/session_test.cpp - whole runs on CPU threads give what the oracle gives, however they are run.
// SPDX-License-Identifier: Apache-2.0
#include "session.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <mutex>
#include <thread>
#include <utility>

#include "failure.hpp"
#include "records.hpp"
#include "runs.hpp"
#include "scratch.hpp"

namespace {

using namespace txmon;
using namespace std::chrono_literals;
using test::generated;
using test::on_cpu;
using test::whole_run;

csv_source paysim() { return csv_source{TXMON_INPUT, column_map::paysim(), false}; }

TEST(Session, TheRealRowsGiveTheOraclesAlertsScoresAndStates) {
  auto from = paysim();
  const whole_run r{from, on_cpu()};
  EXPECT_EQ(r.difference, std::nullopt);
  EXPECT_EQ(r.counts.transactions, 19'999U);
  EXPECT_EQ(r.accounts.size(), 32'870U);
  EXPECT_EQ(r.counts.fraud, 81U);
  for (const rule fires : {rule::velocity, rule::amount, rule::deviation, rule::rapid_movement})
    EXPECT_GT(r.counts.by_rule[static_cast<unsigned>(fires)], 30U) << name_of(fires);
}

TEST(Session, EveryPostingIsHandledOnceAndNoneIsLost) {
  auto from = paysim();
  const whole_run r{from, on_cpu()};
  EXPECT_EQ(r.figures.messages.host_sent, 2U * 19'999);
  EXPECT_EQ(r.figures.messages.handled, 2U * 19'999);
  EXPECT_EQ(r.figures.messages.dead_total(), 0U);
  EXPECT_EQ(r.figures.messages.to_mailboxes, r.counts.alerts);
}

TEST(Session, PlantedFraudsOfEveryKindAreAllFound) {
  generated g{"rows=150000,accounts=3000,fraud=250"};
  auto s = on_cpu();
  s.actors.schedule = g.rules;
  const whole_run r{g.from, s};
  EXPECT_EQ(r.difference, std::nullopt);
  for (unsigned k = 0; k < rule_count; ++k) {
    EXPECT_GT(r.counts.planted[k], 50U) << name_of(static_cast<rule>(k));
    EXPECT_EQ(r.counts.found[k], r.counts.planted[k]) << name_of(static_cast<rule>(k));
  }
  EXPECT_EQ(r.counts.hits, r.counts.fraud);
}

TEST(Session, ShuffledThreadsLanesAndInboxesOf64SlotsChangeNothing) {
  std::optional<std::uint64_t> checksum;
  for (const auto& [threads, lanes, workers] :
       {std::array{1U, 1U, 2U}, std::array{4U, 3U, 7U}, std::array{3U, 4U, 1U}}) {
    generated g{"rows=60000,accounts=1000,disorder=4000,gap=100"};
    auto s = on_cpu();
    s.actors.schedule = g.rules;
    s.lateness_ms = 3'000;  // so that some come too late
    s.reading.threads = threads;
    s.reading.before_parse = [](std::uint64_t index) {
      std::this_thread::sleep_for(index * 7 % 5 * 1ms);
    };
    s.actors.lanes = lanes;
    s.actors.system.workers = workers;
    s.actors.system.inbox_slots = 64;
    s.epoch_rows = 10'000 * threads;
    const whole_run r{g.from, s};
    EXPECT_EQ(r.difference, std::nullopt);
    EXPECT_GT(r.counts.late, 1'000U);
    EXPECT_LT(r.counts.late, 30'000U);
    EXPECT_EQ(r.counts.alerts_checksum, checksum.value_or(r.counts.alerts_checksum));
    checksum = r.counts.alerts_checksum;
  }
}

TEST(Session, AlertsAreStoredInTheOrderOfEventTimeAcrossEpochs) {
  generated g{"rows=40000,accounts=500,disorder=2000,gap=100"};
  auto s = on_cpu();
  s.lateness_ms = 2'000;
  s.epoch_rows = 5'000;
  const whole_run r{g.from, s};
  EXPECT_EQ(r.difference, std::nullopt);
  EXPECT_GT(r.store.epochs.size(), 4U);
  const auto all = r.store.alerts();
  ASSERT_GT(all.size(), 1'000U);
  for (std::size_t i = 1; i < all.size(); ++i) ASSERT_LT(all[i - 1].key(), all[i].key());
}

TEST(Session, ASlowStoreASlowCallbackAndASmallMailboxLoseNothing) {
  generated g{"rows=20000,accounts=50,fraud=0,gap=100"};
  auto s = on_cpu();
  s.verify = false;
  s.actors.mailbox_slots = 16;
  s.epoch_rows = 2'000;
  std::uint64_t called = 0;
  s.actors.on_alert = [&](const finding&) {
    if (++called % 1'000 == 0) std::this_thread::sleep_for(1ms);
  };
  test::memory_store store;
  store.on_write = [] { std::this_thread::sleep_for(20ms); };
  session run{s, g.from, store};
  run.run();
  EXPECT_EQ(store.alerts().size(), called);
  EXPECT_EQ(run.counts().counts().alerts, called);
  EXPECT_GT(called, 10'000U);

  generated again{"rows=20000,accounts=50,fraud=0,gap=100"};
  const whole_run right{again.from, on_cpu()};
  EXPECT_EQ(right.difference, std::nullopt);
  EXPECT_EQ(right.counts.alerts_checksum, run.counts().counts().alerts_checksum);
}

TEST(Session, AnySeededScheduleGivesTheSame) {
  for (const std::uint64_t seed : {1U, 20'261'121U}) {
    auto from = paysim();
    auto s = on_cpu();
    s.actors.system.schedule = perdure::schedule::seeded;
    s.actors.system.workers = 3;
    s.actors.system.seed = seed;
    EXPECT_EQ(whole_run(from, s).difference, std::nullopt) << "seed " << seed;
  }
}

TEST(Session, AnEmptyStreamEndsAtOnce) {
  test::list_source from{{}, 0};
  const whole_run r{from, on_cpu()};
  EXPECT_EQ(r.difference, std::nullopt);
  EXPECT_EQ(r.counts.transactions, 0U);
  EXPECT_TRUE(r.accounts.empty());
}

TEST(Session, APaymentToOneselfIsTwoPostingsInOrder) {
  std::vector<transaction> rows;
  for (int i = 0; i < 50; ++i) rows.push_back(test::record({0, i, 90'000 + i, 3, 3}));
  test::list_source from{rows, 5};
  const whole_run r{from, on_cpu()};
  EXPECT_EQ(r.difference, std::nullopt);
  EXPECT_EQ(r.accounts[3].seen, 100U);
  EXPECT_EQ(r.accounts[3].balance_cents, 0);
}

TEST(Rules, AChangeInTheFileIsExactInEventTime) {
  generated g{"rows=60000,accounts=400,disorder=3000,gap=100"};
  auto s = on_cpu();
  s.lateness_ms = 3'000;
  s.reading.threads = 3;
  s.actors.lanes = 2;
  s.actors.schedule =
      test::rules_of(R"({"amount_limit": 100000, "velocity_limit": 29, "velocity_window_ms": 1,
      "customers": {"A7": {"amount_limit": 100}},
      "changes": [{"from_ms": 2000001, "amount_limit": 1000},
                  {"from_ms": 4000000, "amount_limit": 90000, "customers": {"A7": {"amount_limit": 5, "home": "DE"}}}]})");
  const whole_run r{g.from, s};
  EXPECT_EQ(r.difference, std::nullopt);
  std::array<int, 3> common{}, own{};
  for (const auto& f : r.store.alerts()) {
    if (f.fired != rule::amount) continue;
    const std::size_t part = f.time_ms < 2'000'001 ? 0 : f.time_ms < 4'000'000 ? 1 : 2;
    ++(f.account == 7 ? own : common)[part];
    EXPECT_EQ(f.limit, f.account == 7 ? (part == 2 ? 500.0 : 10'000.0)
                       : part == 1    ? 100'000.0
                                      : f.limit);
  }
  EXPECT_EQ(common[0], 0);
  EXPECT_GT(common[1], 500);
  EXPECT_EQ(common[2], 0);
  EXPECT_GT(own[0], 10);
  EXPECT_GT(own[2], 10);
}

TEST(Rules, AReloadWhileItRunsIsExactAndLosesNoTransaction) {
  generated g{"rows=100000,accounts=400,gap=100"};
  auto s = on_cpu();
  s.reading.threads = 2;
  s.actors.lanes = 3;
  s.actors.system.inbox_slots = 64;
  s.actors.schedule = test::rules_of(R"({"amount_limit": 100000})");
  std::uint64_t rows = 0;
  s.on_progress = [&](std::uint64_t n) { rows = n; };
  int given = 0;
  std::string refused;
  std::vector<std::optional<std::int64_t>> accepted;
  s.on_accepted = [&](auto from_ms) { accepted.push_back(from_ms); };
  s.on_refused = [&](const std::string& why) { refused = why; };
  s.new_schedule = [&]() -> std::shared_ptr<const rule_schedule> {
    if (rows > 16'000 && given == 0)
      return ++given,
             test::rules_of(
                 R"({"amount_limit": 100000, "changes": [{"from_ms": 5000000, "amount_limit": 200}]})");
    if (rows > 24'000 && given == 1)
      return ++given,
             test::rules_of(R"({"amount_limit": 3})");  // would change what has been judged
    return nullptr;
  };
  const whole_run r{g.from, s};
  EXPECT_EQ(r.difference, std::nullopt);
  EXPECT_EQ(r.counts.transactions, 100'000U);
  EXPECT_NE(refused.find("version 0"), std::string::npos) << refused;
  EXPECT_EQ(accepted, (std::vector<std::optional<std::int64_t>>{5'000'000}));
  std::uint64_t before = 0, after = 0;
  for (const auto& f : r.store.alerts())
    if (f.fired == rule::amount) ++(f.time_ms < 5'000'000 ? before : after);
  EXPECT_EQ(before, 0U);
  EXPECT_GT(after, 10'000U);
}

TEST(Rules, BeforeTheFirstRowAllOfThemMayChange) {
  generated g{"rows=20000,accounts=400,gap=100"};
  auto s = on_cpu();
  s.actors.schedule = test::rules_of(R"({"amount_limit": 100000})");
  bool given = false, accepted = false;
  s.on_accepted = [&](auto from_ms) { accepted = from_ms == std::int64_t{0}; };
  s.new_schedule = [&]() -> std::shared_ptr<const rule_schedule> {
    return std::exchange(given, true) ? nullptr : test::rules_of(R"({"amount_limit": 200})");
  };
  const whole_run r{g.from, s};
  EXPECT_TRUE(accepted);
  EXPECT_EQ(r.difference, std::nullopt);
  EXPECT_GT(r.counts.by_rule[static_cast<unsigned>(rule::amount)], 1'000U);
}

TEST(Replay, EventTimeRunsAtTheSpeedThatIsAsked) {
  std::vector<transaction> rows;
  for (int i = 0; i <= 20; ++i) rows.push_back(test::record({0, 1'000'000 + i * 1'000, 1, 0, 1}));
  test::list_source from{rows, 2};
  auto s = on_cpu();
  s.actors.speed = 100;  // 20 s in 0.2 s
  const auto begin = std::chrono::steady_clock::now();
  const whole_run r{from, s};
  EXPECT_GE(std::chrono::steady_clock::now() - begin,
            200ms);  // never early; how late is the machine's affair
  EXPECT_EQ(r.difference, std::nullopt);
}

TEST(Replay, EpochsEndBetweenTheRowsOfABlock) {
  std::vector<transaction> rows;
  for (int i = 0; i <= 20; ++i)
    rows.push_back(test::record({0, 1'000'000 + i * 1'000, 2'000'000, 0, 1}));
  test::list_source from{rows, 2};  // of one block
  auto s = on_cpu();
  s.actors.speed = 20;  // 20 s in 1 s
  s.epoch_time = 100ms;
  const whole_run r{from, s};
  EXPECT_EQ(r.difference, std::nullopt);
  EXPECT_GE(r.store.alerts().size(), 21U);
  EXPECT_GE(r.store.epochs.size(), 3U);  // ten, where nothing else runs
}

TEST(Replay, ARunThatEndsWithinABlockGoesOnThere) {
  const test::scratch at;
  std::string text{test::header};
  for (int i = 1; i <= 10; ++i) {
    text += fmt::format("{},PAYMENT,20000,C{},0,0,M1,0,0,{},0\n", i, i, i % 2);
    if (i == 3 || i == 8) text += "malformed\n";
  }
  const auto input = at.write("in.csv", text);
  auto s = on_cpu();
  s.verify = false;
  s.checkpoints = (at.path() / "c").string();
  s.epoch_rows = 1;
  test::memory_store store;
  for (const bool again : {false, true}) {
    csv_source from{input, column_map::paysim(), true};
    s.actors.speed = again ? 0 : 1.8e5;  // 20 ms a row
    s.resume = again;
    s.on_progress = [again](std::uint64_t n) {
      if (!again && n > 5) throw failure{"killed"};
    };
    session run{s, from, store};
    if (again) {
      EXPECT_TRUE(run.resumed());
      run.run();
      EXPECT_EQ(run.counts().counts().transactions, 10U);
      EXPECT_EQ(run.counts().counts().skipped, 2U);
      EXPECT_EQ(run.counts().counts().fraud, 5U);
      EXPECT_EQ(run.counts().counts().hits, 5U);
    } else {
      EXPECT_THROW(run.run(), failure);
      EXPECT_EQ(store.epochs.size(), 5U);
    }
  }
  EXPECT_EQ(store.alerts().size(), 10U);
}

/// Postings of both accounts that a checkpoint held back, long after 1970; and the states that go with them.
struct held_back {
  static constexpr std::int64_t now_ms = 1'700'000'000'000;
  accounts names;
  monitor::settings s = on_cpu().actors;
  std::vector<std::byte> states;
  held_back() {
    names.number(2);
    s.speed = 1;
    monitor{s, names}.each_state(
        [&](auto part) { states.insert(states.end(), part.begin(), part.end()); });
  }
};

// Both would wait for 54 years if the clock began at 0.
TEST(Replay, WhatACheckpointHeldBackGoesOutWithoutFurtherRows) {
  held_back h;
  auto credit = test::record({1, h.now_ms, 100, 0, 1});
  const auto debit = credit;
  credit.type |= transaction::credit_bit;
  monitor m{h.s, h.names};
  m.restore({debit, credit}, h.states);
  m.release_all();
  EXPECT_TRUE(m.rest().empty());
  const auto now = m.figures_of_accounts();
  ASSERT_EQ(now.size(), 2U);
  EXPECT_EQ(now[0].balance_cents, -100);
  EXPECT_EQ(now[1].balance_cents, 100);
}

// CSV readers name accounts ahead of what was admitted; a checkpoint that is taken meanwhile has those there were when it began.
TEST(Monitor, StatesAreReadWhileReadersMeetNewAccounts) {
  accounts names;
  names.id_of("first");
  monitor m{on_cpu().actors, names};
  std::jthread reader{[&](const std::stop_token& enough) {
    for (unsigned i = 0; i < 40'000 && !enough.stop_requested(); ++i)
      names.id_of(fmt::format("C{}", i));
  }};
  for (std::uint32_t before = 0; before < 40'001;) {
    before = names.size();
    std::size_t bytes = 0;
    ASSERT_NO_THROW(m.each_state([&](auto part) { bytes += part.size(); }));
    EXPECT_GE(bytes, before * monitor::state_bytes());
    EXPECT_LE(bytes, names.size() * monitor::state_bytes());
  }
}

TEST(Replay, ALateRowDoesNotSetTheClock) {
  held_back h;
  const auto late = test::record({0, 0, 100, 0, 1});
  const auto timely = [&](std::int64_t cents) { return test::record({0, h.now_ms, cents, 0, 1}); };
  // The late row comes in the same block as timely ones, or has the first block for itself.
  for (const auto& blocks :
       {std::vector<std::vector<transaction>>{{late, timely(50)}}, {{late}, {timely(50)}}}) {
    event_order order{0};
    order.resume(2, h.now_ms);
    monitor m{h.s, h.names};
    m.restore({}, h.states);
    for (const auto& rows : blocks) {
      auto b = cut(rows, h.s.lanes);
      order.admit(b);
      m.take(std::make_shared<const batch>(std::move(b)));
    }
    m.release_all();
    m.rest();
    EXPECT_EQ(m.figures_of_accounts().at(1).came_in, 50U);
  }
}

}  // namespace
