// tests/apps/txmon/store_test.cpp - both stores keep epochs whole, once, and refuse what would lose or double them.
// SPDX-License-Identifier: Apache-2.0
#include <sqlite3.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "alert_store.hpp"
#include "failure.hpp"
#include "records.hpp"
#include "scratch.hpp"

namespace {

using namespace txmon;
using test::scratch;

epoch sample(std::uint64_t index) {
  epoch e;
  e.index = index;
  finding f;
  f.time_ms = static_cast<std::int64_t>(index * 100);
  f.number = index;
  f.fired = rule::geography;
  f.level = severity::medium;
  f.why = reason::foreign;
  f.score = 20;
  f.counterparty = 1;
  f.value = *country_of("FR");
  f.evidence = {index, index + 1};
  e.alerts = {f};
  e.late = {test::record({index + 50, 7, 300})};
  return e;
}

std::vector<std::vector<std::string>> rows(const std::string& path, const char* query) {
  sqlite3* db = nullptr;
  std::vector<std::vector<std::string>> out;
  EXPECT_EQ(sqlite3_open_v2(path.c_str(), &db, SQLITE_OPEN_READONLY, nullptr), SQLITE_OK);
  const auto take = [](void* to, int n, char** values, char**) {
    auto& row = static_cast<std::vector<std::vector<std::string>>*>(to)->emplace_back();
    for (int i = 0; i < n; ++i) row.emplace_back(values[i] ? values[i] : "null");
    return 0;
  };
  EXPECT_EQ(sqlite3_exec(db, query, take, &out, nullptr), SQLITE_OK) << sqlite3_errmsg(db);
  sqlite3_close(db);
  return out;
}

struct two_names : accounts {
  two_names() { id_of("C1"), id_of("M2"); }
};

TEST(AlertStore, ADatabaseAppearsWholeAndCanBeQueriedByItsIndex) {
  const scratch s;
  const two_names names;
  const auto path = (s.path() / "deep" / "alerts.db").string();
  {
    const auto store = alert_store::open(path, store_mode::whole);
    store->write(sample(1), names);
    store->commit();
    store->write(sample(2), names);
    store->commit();
    EXPECT_FALSE(std::filesystem::exists(path));
    store->publish();
  }
  EXPECT_EQ(
      rows(
          path,
          "SELECT number, account, rule, reason, score, evidence FROM alert WHERE account = 'C1' AND time_ms > 100"),
      (std::vector<std::vector<std::string>>{{"2", "C1", "geography", "foreign", "20", "[2,3]"}}));
  const auto plan =
      rows(path, "EXPLAIN QUERY PLAN SELECT * FROM alert WHERE account = 'C1' AND time_ms > 100");
  EXPECT_NE(plan.at(0).at(3).find("alert_by_account"), std::string::npos) << plan[0][3];
  EXPECT_EQ(rows(path, "SELECT number, cents FROM late ORDER BY 1"),
            (std::vector<std::vector<std::string>>{{"51", "300"}, {"52", "300"}}));
}

TEST(AlertStore, ADatabaseThatIsNotPublishedLeavesNothingAndTheOldOneStays) {
  const scratch s;
  const auto path = (s.path() / "alerts.db").string();
  for (const bool publishes : {true, false}) {
    const auto store = alert_store::open(path, store_mode::whole);
    store->write(sample(publishes ? 1 : 2), two_names{});
    store->commit();
    if (publishes) store->publish();
  }
  EXPECT_EQ(rows(path, "SELECT epoch FROM progress").at(0).at(0), "1");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{s.path()}, {}), 1);
}

/// What a process leaves that is killed while it writes: <path> and, beside it, what SQLite would take back or add.
void leave_as_killed(const std::string& path, const char* mode) {
  const std::string live = path + ".live";
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(live.c_str(), &db), SQLITE_OK);
  const auto run = [&](const std::string& text) {
    ASSERT_EQ(sqlite3_exec(db, text.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << sqlite3_errmsg(db);
  };
  run("CREATE TABLE progress(epoch)");
  run("CREATE TABLE alert(rule, evidence)");
  run(std::string{"PRAGMA journal_mode = "} + mode);  // behind them, as a store does
  run("INSERT INTO alert(evidence) SELECT hex(randomblob(2000)) FROM "
      "(WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 100) SELECT i FROM n)");
  run("PRAGMA cache_size = 1");
  run("BEGIN");
  run("UPDATE alert SET evidence = lower(evidence)");
  for (const char* ending : {"", "-journal", "-wal"})
    if (std::filesystem::exists(live + ending))
      std::filesystem::copy_file(live + ending, path + ending);
  sqlite3_close(db);
  std::filesystem::remove(live);
}

TEST(AlertStore, ADatabaseOfSomebodyElseStaysAndATxmonOneIsReplaced) {
  const scratch s;
  const auto foreign = (s.path() / "for%eign?#.db").string();
  sqlite3* db = nullptr;
  ASSERT_EQ(sqlite3_open(foreign.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(db, "CREATE TABLE mine(x); INSERT INTO mine VALUES(7)", nullptr, nullptr,
                         nullptr),
            SQLITE_OK);
  sqlite3_close(db);
  const auto text = s.write("text.db", "not a database");
  for (const std::string& path : {foreign, text}) {
    try {
      (void)alert_store::open(path, store_mode::whole);
      ADD_FAILURE() << path;
    } catch (const failure& e) {
      EXPECT_NE(std::string{e.what()}.find("no alert store of txmon's"), std::string::npos);
    }
  }
  EXPECT_EQ(rows(foreign, "SELECT x FROM mine").at(0).at(0), "7");
  EXPECT_EQ(s.read("text.db"), "not a database");
  const auto own = s.write("own.db", "");  // as mktemp makes it
  for (const std::uint64_t epoch : {1U, 2U}) {
    const two_names names;
    const auto store = alert_store::open(own, store_mode::whole);
    store->write(sample(epoch), names);
    store->commit();
    store->publish();
    EXPECT_EQ(rows(own, "SELECT epoch FROM progress").at(0).at(0), std::to_string(epoch));
  }
}

TEST(AlertStore, WhatAKilledRunLeftBesideADatabaseIsNotTakenForTheNewOnes) {
  for (const bool removed : {false, true}) {
    for (const auto& [journal, ending] :
         {std::pair{"DELETE", "-journal"}, std::pair{"WAL", "-wal"}}) {
      const scratch s;
      const auto path = (s.path() / "alerts.db").string();
      leave_as_killed(path, journal);
      ASSERT_GT(std::filesystem::file_size(path + ending), 10'000U);
      if (removed) std::filesystem::remove(path);  // as the program advises
      {
        const auto store = alert_store::open(path, store_mode::whole);
        store->write(sample(1), two_names{});
        store->commit();
        store->publish();
      }
      EXPECT_EQ(rows(path, "SELECT count(*) FROM alert"),
                (std::vector<std::vector<std::string>>{{"1"}}));
      EXPECT_EQ(std::distance(std::filesystem::directory_iterator{s.path()}, {}), 1);
    }
  }
}

TEST(AlertStore, AGrowingDatabaseHasWhatWasCommittedAndKnowsTheEpoch) {
  const scratch s;
  const two_names names;
  const auto path = (s.path() / "alerts.db").string();
  {
    const auto store = alert_store::open(path, store_mode::growing);
    store->write(sample(1), names);
    store->commit();
    store->write(sample(2), names);  // and never committed
  }
  EXPECT_THROW(alert_store::open(path, store_mode::growing), failure);
  const auto store = alert_store::open(path, store_mode::resumed);
  EXPECT_EQ(store->last_epoch(), 1U);
  EXPECT_EQ(rows(path, "SELECT count(*) FROM alert").at(0).at(0), "1");
  store->write(sample(2), names);
  store->commit();
  EXPECT_EQ(store->last_epoch(), 2U);
  EXPECT_EQ(rows(path, "SELECT count(*) FROM alert").at(0).at(0), "2");
  EXPECT_THROW(store->write(sample(2), names), failure);  // the same alert once more
}

/// Another program at the same database.
class visitor {
 public:
  explicit visitor(const std::string& path) { sqlite3_open(path.c_str(), &file_); }
  visitor(const visitor&) = delete;
  visitor& operator=(const visitor&) = delete;
  ~visitor() { leave(); }
  void leave() {
    sqlite3_finalize(std::exchange(reading_, nullptr));
    sqlite3_close(std::exchange(file_, nullptr));
  }
  /// Has the first row of a SELECT, and does not go on.
  void stay_at_a_row() {
    ASSERT_EQ(sqlite3_prepare_v2(file_, "SELECT number FROM alert", -1, &reading_, nullptr),
              SQLITE_OK);
    ASSERT_EQ(sqlite3_step(reading_), SQLITE_ROW);
  }
  void run(const char* text) {
    ASSERT_EQ(sqlite3_exec(file_, text, nullptr, nullptr, nullptr), SQLITE_OK);
  }

 private:
  sqlite3* file_ = nullptr;
  sqlite3_stmt* reading_ = nullptr;
};

TEST(AlertStore, AReaderThatStaysKeepsNoEpochFromBeingStored) {
  const scratch s;
  const two_names names;
  const auto path = (s.path() / "alerts.db").string();
  std::string told;
  auto store =
      alert_store::open(path, store_mode::growing, [&](const std::string& what) { told = what; });
  store->write(sample(1), names);
  store->commit();
  visitor reader{path};
  reader.stay_at_a_row();
  store->write(sample(2), names);
  store->commit();
  EXPECT_EQ(rows(path, "SELECT count(*) FROM alert").at(0).at(0), "2");
  EXPECT_EQ(told, "");
  store->publish();
  store.reset();
  EXPECT_EQ(told, path + ": another program reads it; until that ends the newest alerts are in " +
                      path + "-wal");
  EXPECT_EQ(rows(path, "SELECT count(*) FROM alert").at(0).at(0), "2");
  reader.leave();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{s.path()}, {}), 1);
}

TEST(AlertStore, AfterAGoodEndADatabaseIsOneFileThatHasAll) {
  const scratch s;
  const auto path = (s.path() / "alerts.db").string();
  const auto store = alert_store::open(path, store_mode::growing);
  store->write(sample(1), two_names{});
  store->commit();
  store->publish();
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator{s.path()}, {}), 1);
  EXPECT_EQ(rows(path, "PRAGMA journal_mode").at(0).at(0), "delete");
  EXPECT_EQ(rows(path, "SELECT count(*) FROM alert").at(0).at(0), "1");
}

TEST(AlertStore, WhoeverWritesToADatabaseIsWaitedForAndThatIsTold) {
  const scratch s;
  const auto path = (s.path() / "alerts.db").string();
  std::atomic<int> told{0};
  const auto store =
      alert_store::open(path, store_mode::growing, [&](const std::string&) { ++told; });
  visitor other{path};
  other.run("BEGIN IMMEDIATE");
  std::jthread leaves{[&] {
    std::this_thread::sleep_for(std::chrono::milliseconds{6000});  // longer than a moment
    other.run("COMMIT");
  }};
  store->write(sample(1), two_names{});
  store->commit();
  EXPECT_EQ(told, 1);
  EXPECT_EQ(rows(path, "SELECT count(*) FROM alert").at(0).at(0), "1");
}

TEST(AlertStore, GrowingLinesAreCutBackToWhatACheckpointTells) {
  const scratch s;
  const two_names names;
  const auto path = (s.path() / "alerts.jsonl").string();
  store_lengths at;
  std::string after_one;
  {
    const auto store = alert_store::open(path, store_mode::growing);
    store->write(sample(1), names);
    at = store->lengths();
    after_one = s.read("alerts.jsonl");
    store->write(sample(2), names);
  }
  EXPECT_GT(s.read("alerts.jsonl").size(), after_one.size());
  EXPECT_THROW(alert_store::open(path, store_mode::growing), failure);
  const auto store = alert_store::open(path, store_mode::resumed);
  store->cut_back(at);
  EXPECT_EQ(s.read("alerts.jsonl"), after_one);
  const auto line = nlohmann::json::parse(after_one);
  EXPECT_EQ(line["account"], "C1");
  EXPECT_EQ(line["value"], "FR");
  EXPECT_EQ(line["evidence"], (nlohmann::json{1, 2}));
  EXPECT_EQ(nlohmann::json::parse(s.read("alerts.late.jsonl"))["transaction"], 51);
  EXPECT_THROW(store->cut_back({1'000'000, 0}), failure);
}

TEST(AlertStore, AFullDiskIsAnErrorThatNamesTheFile) {
  const scratch s;
  std::filesystem::create_symlink("/dev/full", s.path() / "alerts.jsonl");
  try {
    const auto store = alert_store::open((s.path() / "alerts.jsonl").string(), store_mode::resumed);
    store->write(sample(1), two_names{});
    FAIL() << "no failure";
  } catch (const failure& e) {
    EXPECT_NE(std::string{e.what()}.find("alerts.jsonl: No space left on device"),
              std::string::npos)
        << e.what();
  }
}

TEST(AlertStore, PartsOfKilledRunsGoAndThoseOfLiveOnesStay) {
  const scratch s;
  const std::string dead = ".part-2000000000", live = ".part-" + std::to_string(getppid());
  for (const auto mode : {store_mode::whole, store_mode::growing}) {
    for (const std::string name : {"a.jsonl", "a.late.jsonl", "a.db"})
      for (const auto& part : {dead, live}) s.write(name + part, "half");
    for (const std::string name : {"a.jsonl", "a.db"})
      alert_store::open((s.path() / name).string(), mode);
    for (const std::string name : {"a.jsonl", "a.late.jsonl", "a.db"}) {
      EXPECT_FALSE(std::filesystem::exists(s.path() / (name + dead))) << name;
      EXPECT_TRUE(std::filesystem::exists(s.path() / (name + live))) << name;
    }
  }
}

TEST(AlertStore, AnUnknownEndingIsRefused) {
  EXPECT_THROW(alert_store::open("alerts.txt", store_mode::whole), failure);
}

}  // namespace
