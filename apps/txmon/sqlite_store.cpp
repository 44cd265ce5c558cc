// apps/txmon/sqlite_store.cpp - see sqlite_store.hpp.
// Why WAL: whoever reads, for however long, keeps no epoch from being stored. Another who writes does; then it waits and says so.
// Invariant: the alerts of an epoch and its number in `progress` are one SQL transaction; the primary key refuses an
//            alert that is stored twice.
// SPDX-License-Identifier: Apache-2.0
#include "sqlite_store.hpp"

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <string_view>
#include <thread>
#include <utility>

#include "failure.hpp"

namespace txmon {
namespace {

constexpr const char* schema = R"(
CREATE TABLE alert(
  time_ms INTEGER, number INTEGER, side TEXT, rule TEXT, severity TEXT, reason TEXT, score INTEGER,
  account TEXT, counterparty TEXT, value INTEGER, "limit" REAL, from_ms INTEGER,
  evidence TEXT,  -- a JSON array of transaction numbers, oldest first
  hlc INTEGER,
  PRIMARY KEY(time_ms, number, side, rule)) WITHOUT ROWID;
CREATE INDEX alert_by_account ON alert(account, time_ms);
CREATE INDEX alert_by_score ON alert(score, rule);
CREATE TABLE late(number INTEGER PRIMARY KEY, time_ms INTEGER, account TEXT, counterparty TEXT, cents INTEGER);
CREATE TABLE progress(epoch INTEGER);
INSERT INTO progress VALUES(0);
)";

/// What SQLite keeps beside a database. A process that was killed leaves it, and whoever opens a database finds there what to
/// take back or to add: never beside a file that it does not belong to.
void remove_companions_of(const std::string& path) {
  bool any = false;
  for (const char* ending : {"-journal", "-wal", "-shm"}) {
    std::error_code code;
    any = std::filesystem::remove(path + ending, code) || any;
    if (code)
      throw failure{fmt::format("{}{}: cannot be removed: {}", path, ending, code.message())};
  }
  if (any) sync_folder_of(path);
}

/// As SQLite takes a name that is followed by how to open it.
std::string uri_of(const std::string& path) {
  std::string out = "file:";
  for (const char c : path) {
    if (c == '?' || c == '#' || c == '%') {
      out += fmt::format("%{:02x}", static_cast<unsigned char>(c));
    } else {
      out += c;
    }
  }
  return out;
}
/// Whether it is a store of txmon's, or nothing is in it. Opened as a file that nobody changes: what a killed process left
/// beside it stays, and nothing is made there.
bool may_be_replaced(const std::string& path) {
  std::error_code code;
  if (std::filesystem::file_size(path, code) == 0 && !code) return true;
  sqlite3* file = nullptr;
  bool known = sqlite3_open_v2((uri_of(path) + "?immutable=1").c_str(), &file,
                               SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr) == SQLITE_OK;
  for (const char* query : {"SELECT epoch FROM progress", "SELECT rule, evidence FROM alert"}) {
    sqlite3_stmt* s = nullptr;
    known = known && sqlite3_prepare_v2(file, query, -1, &s, nullptr) == SQLITE_OK;
    sqlite3_finalize(s);
  }
  sqlite3_close(file);
  return known;
}

class database final : public alert_store {
 public:
  database(const std::string& path, store_mode mode, teller warn)
      : path_{path}, mode_{mode}, warn_{std::move(warn)} {
    std::error_code code;
    const std::filesystem::path at{path_};
    if (at.has_parent_path()) std::filesystem::create_directories(at.parent_path(), code);
    if (code) refuse(fmt::format("the directory cannot be made: {}", code.message()));
    const bool there = std::filesystem::exists(at, code);
    if (there && !std::filesystem::is_regular_file(at, code)) refuse("is not a regular file");
    if (there && mode == store_mode::growing)
      refuse("is there already; go on from its checkpoint with --resume, or remove it");
    if (there && mode == store_mode::whole && !may_be_replaced(path))
      refuse("is there already and is no alert store of txmon's; it would be replaced");
    opened_ = mode == store_mode::whole ? fmt::format("{}.part-{}", path, getpid()) : path;
    if (mode == store_mode::whole) std::filesystem::remove(opened_, code);
    if (mode != store_mode::whole && !there) remove_companions_of(path_);
    try {
      check(sqlite3_open(opened_.c_str(), &file_));
      sqlite3_busy_handler(file_, wait_for_others, this);
      if (mode == store_mode::whole) run("PRAGMA journal_mode = OFF");
      run("PRAGMA synchronous = FULL");  // what is committed is on the disk
      if (!(there && mode == store_mode::resumed && has_schema())) {
        run("BEGIN");
        run(schema);
        run("COMMIT");
      }
      prepare();
    } catch (...) {
      close();
      throw;
    }
  }
  database(const database&) = delete;
  database& operator=(const database&) = delete;
  ~database() override { close(); }

  std::uint64_t last_epoch() const override {
    sqlite3_stmt* s = nullptr;
    check(sqlite3_prepare_v2(file_, "SELECT epoch FROM progress", -1, &s, nullptr));
    const int code = sqlite3_step(s);
    const auto n = static_cast<std::uint64_t>(sqlite3_column_int64(s, 0));
    sqlite3_finalize(s);
    if (code != SQLITE_ROW) refuse("its table 'progress' is empty");
    return n;
  }
  bool tells_epoch() const override { return true; }
  void cut_back(const store_lengths&) override {}
  store_lengths lengths() const override { return {}; }

  void write(const epoch& e, const accounts& names) override {
    if (mode_ != store_mode::whole && !logs_) begin_log();
    run("BEGIN IMMEDIATE");
    for (const finding& f : e.alerts) add(f, names);
    for (const transaction& t : e.late) add(t, names);
    run(fmt::format("UPDATE progress SET epoch = {}", e.index).c_str());
  }
  void commit() override { run("COMMIT"); }
  void publish() override {
    if (mode_ != store_mode::whole) return leave_one_file();
    close_file();
    remove_companions_of(path_);
    std::error_code code;
    std::filesystem::rename(opened_, path_, code);
    if (code) refuse(fmt::format("cannot be renamed into place: {}", code.message()));
    opened_.clear();
    sync_folder_of(path_);
  }

 private:
  /// Not before the first epoch: a run that is refused changes nothing. What is in use just now, or lies where memory cannot be
  /// shared, stays with a journal for this epoch; then readers are waited for as well.
  void begin_log() {
    logs_ =
        sqlite3_exec(file_, "PRAGMA journal_mode = WAL", nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  /// SQLite asks it before each further try. Alerts wait for the sink, however slow; who waits learns why.
  static int wait_for_others(void* self, int tries) {
    using namespace std::chrono_literals;
    auto& me = *static_cast<database*>(self);
    const auto now = std::chrono::steady_clock::now();
    if (tries == 0) me.tell_at_ = now + 5s;
    if (now >= me.tell_at_ && me.warn_) {
      me.tell_at_ = now + 1min;
      me.warn_(me.path_ + ": another program keeps it locked; the alerts wait for that to end");
    }
    std::this_thread::sleep_for(20ms);
    return 1;
  }
  /// Takes what was committed from the log into the database, and goes back to a journal: a copy of the file has it all.
  /// While somebody reads that cannot be: the last reader leaves one file as well.
  void leave_one_file() {
    if (!std::exchange(logs_, false)) return;
    if (sqlite3_get_autocommit(file_) == 0)
      sqlite3_exec(file_, "ROLLBACK", nullptr, nullptr, nullptr);
    sqlite3_busy_timeout(file_, 1000);
    sqlite3_exec(file_, "PRAGMA wal_checkpoint(TRUNCATE)", nullptr, nullptr, nullptr);
    if (sqlite3_exec(file_, "PRAGMA journal_mode = DELETE", nullptr, nullptr, nullptr) !=
            SQLITE_OK &&
        warn_)
      warn_(fmt::format(
          "{0}: another program reads it; until that ends the newest alerts are in {0}-wal",
          path_));
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw failure{fmt::format("{}: {}", path_, why)};
  }
  void check(int code) const {
    if (code == SQLITE_OK || code == SQLITE_DONE || code == SQLITE_ROW) return;
    refuse(file_ != nullptr ? sqlite3_errmsg(file_) : sqlite3_errstr(code));
  }
  void run(const char* text) { check(sqlite3_exec(file_, text, nullptr, nullptr, nullptr)); }
  bool has_schema() {
    sqlite3_stmt* s = nullptr;
    const int code = sqlite3_prepare_v2(file_, "SELECT epoch FROM progress", -1, &s, nullptr);
    sqlite3_finalize(s);
    if (code == SQLITE_ERROR && sqlite3_total_changes(file_) == 0) return false;  // no such table
    check(code);
    return true;
  }
  void prepare() {
    check(sqlite3_prepare_v2(file_, "INSERT INTO alert VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?)", -1,
                             &alert_, nullptr));
    check(sqlite3_prepare_v2(file_, "INSERT INTO late VALUES(?,?,?,?,?)", -1, &late_, nullptr));
  }
  static void bind(sqlite3_stmt* s, int at, std::int64_t v) { sqlite3_bind_int64(s, at, v); }
  static void bind(sqlite3_stmt* s, int at, std::string_view v) {
    sqlite3_bind_text(s, at, v.data(), static_cast<int>(v.size()), SQLITE_TRANSIENT);
  }
  void step(sqlite3_stmt* s) {
    const int code = sqlite3_step(s);
    sqlite3_reset(s);
    check(code);
  }
  void add(const finding& f, const accounts& names) {
    std::string evidence = "[";
    for (const auto n : f.evidence)
      evidence += fmt::format("{}{}", evidence.size() > 1 ? "," : "", n);
    bind(alert_, 1, f.time_ms);
    bind(alert_, 2, static_cast<std::int64_t>(f.number));
    bind(alert_, 3, name_of(f.direction));
    bind(alert_, 4, name_of(f.fired));
    bind(alert_, 5, name_of(f.level));
    bind(alert_, 6, name_of(f.why));
    bind(alert_, 7, std::int64_t{f.score});
    bind(alert_, 8, names.name_of(f.account));
    bind(alert_, 9, names.name_of(f.counterparty));
    bind(alert_, 10, f.value);
    sqlite3_bind_double(alert_, 11, f.limit);
    bind(alert_, 12, f.from_ms);
    bind(alert_, 13, evidence + "]");
    bind(alert_, 14, static_cast<std::int64_t>(f.hlc));
    step(alert_);
  }
  void add(const transaction& t, const accounts& names) {
    bind(late_, 1, static_cast<std::int64_t>(t.number.get()));
    bind(late_, 2, t.when());
    bind(late_, 3, names.name_of(t.account.get()));
    bind(late_, 4, names.name_of(t.counterparty.get()));
    bind(late_, 5, t.amount());
    step(late_);
  }
  void close_file() {
    sqlite3_finalize(std::exchange(alert_, nullptr));
    sqlite3_finalize(std::exchange(late_, nullptr));
    sqlite3_close(std::exchange(file_, nullptr));
  }
  void close() {
    if (file_ != nullptr && mode_ != store_mode::whole) leave_one_file();
    close_file();
    std::error_code ignored;
    if (mode_ == store_mode::whole && !opened_.empty()) std::filesystem::remove(opened_, ignored);
  }

  std::string path_, opened_;
  store_mode mode_;
  bool logs_ = false;  ///< no need to ask for it again
  teller warn_;
  std::chrono::steady_clock::time_point tell_at_;
  sqlite3* file_ = nullptr;
  sqlite3_stmt *alert_ = nullptr, *late_ = nullptr;
};

}  // namespace

std::unique_ptr<alert_store> open_database(const std::string& path, store_mode mode,
                                           alert_store::teller warn) {
  return std::make_unique<database>(path, mode, std::move(warn));
}

}  // namespace txmon
