// apps/txmon/lane.hpp - one thread that brings the postings of its accounts into event-time order and sends them.
// Why: messages of one thread to one actor are handled in the order sent, so the order is made here and accounts keep none.
// Invariant: `held_` is sorted by (time, number, debit first); what was sent is at or below the watermark, all else above.
//            Blocks that are in order and below it, with nothing held back before them, are not held at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "accounts.hpp"
#include "event_order.hpp"
#include "order_ring.hpp"
#include "rule_schedule.hpp"
#include "rules.hpp"

namespace txmon {

/// What lanes need of the actor system.
class account_port {
 public:
  account_port() = default;
  account_port(const account_port&) = delete;
  account_port& operator=(const account_port&) = delete;
  virtual ~account_port() = default;
  /// Sends what[i] to account `to[i]`, in order; waits for room. @throws failure
  virtual void send(std::span<const std::uint32_t> to, std::span<const terms> what) = 0;
  virtual void send(std::span<const std::uint32_t> to, std::span<const transaction> what) = 0;
};

class lane {
 public:
  /// @param fresh  accounts are spawned with schedule.common(0); if not, each is sent its terms before its first posting.
  lane(std::uint32_t index, order_ring& orders, account_port& port, const accounts& names,
       std::shared_ptr<const rule_schedule> schedule, bool fresh);
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;
  ~lane();  ///< leaves orders that it has not begun

  /// What is held back, while the orders are drained. Copies for credited accounts have their bit set.
  const std::vector<transaction>& held() const { return held_; }
  /// Before the first order is pushed, which publishes it.
  void hold(const transaction& posting) { held_.push_back(posting); }

 private:
  static constexpr std::size_t most_taken = 1024;  ///< postings of several orders together
  static constexpr std::size_t most_sent = 256;    ///< postings at once: 16 KiB

  void run(const std::stop_token& stopping);
  /// Carries out the order with this number, and what follows it below `end` while that makes no more than `most_taken`
  /// postings, so that what came meanwhile does not wait behind it order by order. @return the number of the next one
  std::uint64_t carry_out(std::uint64_t number, std::uint64_t end);
  /// Whether the block's postings leave in the order in which they lie in it, with none before and none behind them:
  /// an ordered input without lateness, mostly.
  bool passes(const batch& b) const;
  void pass(const batch& b);
  void take(const batch& b);
  void release(std::int64_t watermark);
  /// Appends one to what is sent next; they are put in the order of handling.
  void put(const transaction& row, std::uint64_t number, side of);
  void wait_until_due(std::int64_t time_ms);
  void go_on_to(std::size_t version);
  void check_terms(std::uint32_t id);
  /// Sends what was put: terms, then postings.
  void flush();

  const std::uint32_t index_;
  order_ring& orders_;
  account_port& port_;
  const accounts& names_;
  std::shared_ptr<const rule_schedule> schedule_;
  const bool fresh_;

  // of the lane's thread
  std::vector<transaction> held_;
  std::stop_token stopping_;
  pace pace_;
  std::size_t version_ = 0;
  std::int64_t next_version_ms_ = 0;  ///< from then on the version after it holds
  bool same_terms_ = false;  ///< all accounts were spawned with the version's: none needs a look
  std::vector<std::uint16_t>
      has_;                 // by account: 1 + the version of the terms it has; 0: not looked at yet
  std::size_t filled_ = 0;  // of `ready_` and `to_`
  std::vector<transaction> ready_ = std::vector<transaction>(most_sent);
  std::vector<std::uint32_t> to_ = std::vector<std::uint32_t>(most_sent), terms_to_;
  std::vector<terms> terms_;

  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace txmon
