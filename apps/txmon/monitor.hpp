// apps/txmon/monitor.hpp - the accounts as actors: takes blocks, gives alerts and states.
// Why: the one place where transactions meet the actor system; readers and stores know nothing of it.
// Invariant: blocks are taken in the order of the input by one thread at a time; lanes feed the accounts, one thread
//            always empties the mailbox, so accounts never wait for a host that waits for them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "accounts.hpp"
#include "event_order.hpp"
#include "outcome.hpp"
#include "perdure/options.hpp"
#include "perdure/stats.hpp"
#include "rule_schedule.hpp"

namespace txmon {

struct account;

/// How the actors did, for the report.
struct run_figures {
  perdure::stats messages;
  perdure::layout_report layout;
};

class monitor {
 public:
  struct settings {
    perdure::options system;
    std::shared_ptr<const rule_schedule> schedule = std::make_shared<rule_schedule>();
    std::uint32_t lanes = 1;
    std::size_t mailbox_slots = 65'536;  ///< alerts kept before the accounts feel back-pressure
    double speed =
        0;  ///< event time runs so many times as fast as wall time; 0: as fast as it goes
    /// Called with each alert as it comes, by one thread, in no order across accounts; it may be slow. It is called before
    /// the epoch is stored: a run that goes on from a checkpoint tells again what the killed one had told of its unfinished
    /// epoch. At least once, then; who needs each alert once reads the store.
    std::function<void(const finding&)> on_alert{};
  };

  /// Starts the system. @param names  outlives the monitor. @throws failure with the library's reason
  monitor(const settings& s, const accounts& names);
  monitor(const monitor&) = delete;
  monitor& operator=(const monitor&) = delete;
  ~monitor();

  /// How blocks are cut that take() is given.
  lane_share share() const;
  /// The next admitted block. @throws failure if nothing moved for ten seconds
  void take(std::shared_ptr<const batch> rows);
  /// From the next block on; it must agree with the schedule in force up to the last watermark.
  void change(std::shared_ptr<const rule_schedule> schedule);
  /// When a row of this event time goes out; nothing where it does at once: without a speed, and before the first block, whose
  /// first row sets the clock.
  std::optional<std::chrono::steady_clock::time_point> due(std::int64_t time_ms) const;
  /// No block will follow: what is held back goes out.
  void release_all();

  /// Makes the accounts that there are, so that the first block need not.
  /// @param on_progress  called with how many are there, about every million
  void prepare(const std::function<void(std::uint64_t there)>& on_progress = {});
  /// Waits until all that was released is handled and every alert has come. @throws failure if a message was lost
  void settle();
  /// settle(), then
  /// @return the alerts since the last time, sorted. @throws failure if a message was lost
  std::vector<finding> rest();

  /// Of every account by id; only while at rest.
  std::vector<account_figures> figures_of_accounts();
  /// What lanes hold back, in the order of handling, and the states as they lie in memory, for a checkpoint; only while at rest.
  std::vector<transaction> held_back() const;
  static std::size_t state_bytes();
  void each_account(const std::function<void(std::span<const account>)>& use);
  void each_state(const std::function<void(std::span<const std::byte>)>& use);
  /// Goes on from a checkpoint: before the first take().
  void restore(const std::vector<transaction>& held_back, std::span<const std::byte> states);

  /// Of the system as it is now.
  run_figures figures() const;

 private:
  struct body;
  std::unique_ptr<body> body_;
};

}  // namespace txmon
