// apps/txmon/session.hpp - one run: a source, the accounts, a store, checkpoints.
// Why: what must happen in which order at the end of an epoch is decided in one place (docs/adr/020).
// Invariant: checkpoint n is on the disk before the store commits epoch n, and older ones go only afterwards;
//            checkpoint 0 is there before the store has anything.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "alert_store.hpp"
#include "checkpoint.hpp"
#include "far_rows.hpp"
#include "ingest.hpp"
#include "monitor.hpp"
#include "oracle.hpp"
#include "source.hpp"
#include "tally.hpp"

namespace txmon {

class session {
 public:
  struct settings {
    monitor::settings actors;
    ingest_settings reading;
    // What a checkpoint remembers, and what a run that goes on from it must name again:
    std::string input;       ///< what the source was opened with
    std::string reading_as;  ///< format, columns, what is done with malformed lines
    std::string alerts;      ///< full path of what the store was opened with
    std::int64_t lateness_ms = 0;
    ahead_limit ahead;
    std::uint64_t epoch_rows = 1'000'000;        ///< an epoch ends after so many rows,
    std::chrono::milliseconds epoch_time{2000};  ///< or so much time,
    std::chrono::milliseconds idle_flush{0};  ///< or after so much silence of the input; 0: never
    std::string checkpoints;                  ///< folder; empty: none
    bool resume = false;
    bool read_once =
        false;            ///< the input cannot be read again: a run that ends early ends for good
    bool verify = false;  ///< feed the oracle too; not together with resume
    /// Rows so far, after every block.
    std::function<void(std::uint64_t rows)> on_progress{};
    /// A new rule schedule, if there is one; asked before every block and in the silence.
    std::function<std::shared_ptr<const rule_schedule>()> new_schedule{};
    /// From which event time on a new schedule says something else, and holds; nothing: it says the same.
    std::function<void(std::optional<std::int64_t> from_ms)> on_accepted{};
    /// Why a new schedule was refused; the old one stays in force.
    std::function<void(const std::string&)> on_refused{};
    /// Whether the run is to end early; asked before every block and in the silence.
    std::function<bool()> stop_asked{};
    /// It has: what was admitted is judged and, with checkpoints, stored; if not, `wrong` says why. The source may wait for
    /// rows for ever, so this leaves the process; where it returns, the next block fails.
    std::function<void(const std::string& wrong)> on_stopped{};
    /// Why lines were skipped, the first few of each block.
    std::function<void(const std::string&)> on_skipped{};
  };

  /// @param store  open in the mode that fits: whole without checkpoints, else growing or resumed; then after
  ///               checkpoint_folder::expect_resumable().
  session(settings s, source& from, alert_store& store);
  session(const session&) = delete;
  session& operator=(const session&) = delete;

  /// Reads the input to its end and commits all alerts; the caller publishes the store. @throws failure; if it is the
  /// source's, what came before is judged and committed.
  void run();

  const tally& counts() const { return tally_; }
  /// After run(): the states of all accounts, by id.
  std::vector<account_figures> accounts_now() { return monitor_.figures_of_accounts(); }
  run_figures figures() const { return monitor_.figures(); }
  const rule_schedule& schedule() const { return *settings_.actors.schedule; }
  std::int64_t greatest_ms() const { return order_.greatest(); }
  std::uint64_t epochs() const { return epoch_; }
  bool resumed() const { return resumed_; }
  /// With verify: the first difference from the oracle, or nothing.
  std::optional<std::string> difference();

 private:
  void restore();
  snapshot names_of_run() const;
  void expect_same_run(const snapshot& s) const;
  void watch(const std::stop_token& stopping);
  void look_around();
  void stop();
  void end_early();
  bool take(std::unique_lock<std::mutex>& turn, parsed& next);
  void replay(std::unique_lock<std::mutex>& turn, parsed& next);
  void admit(parsed& next);
  void change_rules();
  void end_epoch(const position& at, bool complete);

  settings settings_;
  source& source_;
  alert_store& store_;
  checkpoint_folder checkpoints_;
  event_order order_;
  monitor monitor_;
  tally tally_;
  std::optional<oracle> oracle_;
  outcome kept_;  // with verify
  std::vector<transaction> late_;
  std::uint64_t epoch_ = 0, epoch_first_ = 1;
  std::chrono::steady_clock::time_point epoch_began_;
  position at_;
  bool resumed_ = false, complete_ = false;

  std::mutex turn_;  // over all that a block and the end of an epoch change
  std::condition_variable_any stopped_;
  std::chrono::steady_clock::time_point last_block_;
  std::exception_ptr failed_;  // what a block or the end of an epoch failed with
  std::jthread watcher_;       // last: it uses all of the above
};

}  // namespace txmon
