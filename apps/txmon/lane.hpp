// apps/txmon/lane.hpp - one thread that brings the postings of its accounts into event-time order and sends them.
// Why: messages of one thread to one actor are handled in the order sent, so the order is made here and accounts keep none.
// Invariant: `held_` is sorted by (time, number, debit first); what was sent is at or below the watermark, all else above.
//            Blocks that are in order and below it, with nothing held back before them, are not held at all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "accounts.hpp"
#include "event_order.hpp"
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

/// Event time against wall time.
struct pace {
  double speed = 0;  ///< event time runs so many times as fast; 0: as fast as it goes
  std::chrono::steady_clock::time_point start{};
  std::int64_t start_ms = -1;  ///< event time at `start`

  std::chrono::steady_clock::time_point due(std::int64_t time_ms) const {
    const std::chrono::duration<double, std::milli> after{static_cast<double>(time_ms - start_ms) /
                                                          speed};
    return start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(after);
  }
};

class lane {
 public:
  /// @param fresh  accounts are spawned with schedule.common(0); if not, each is sent its terms before its first posting.
  /// @param hot    the thread looks for work so long before it sleeps: waking it costs more than an alert may take
  lane(std::uint32_t index, account_port& port, const accounts& names,
       std::shared_ptr<const rule_schedule> schedule, bool fresh,
       std::chrono::microseconds hot = std::chrono::microseconds{0});
  lane(const lane&) = delete;
  lane& operator=(const lane&) = delete;
  ~lane();  ///< drops what is queued

  /// The next block; waits while too many are queued. @throws what the lane's thread failed with
  void push(std::shared_ptr<const batch> rows);
  /// A schedule that agrees with the one in force up to the last block's watermark.
  void change(std::shared_ptr<const rule_schedule> schedule);
  /// Sends everything that is held back, whatever its time.
  void release_all();
  /// Waits until all that was pushed has been sent. @throws what the lane's thread failed with
  void drain();
  /// From now on postings wait until they are due.
  void keep_pace(const pace& p);

  /// What is held back, while drained. Copies for credited accounts have their bit set.
  const std::vector<transaction>& held() const { return held_; }
  void hold(const transaction& posting) { held_.push_back(posting); }

 private:
  struct order {
    std::shared_ptr<const batch> rows{};
    std::shared_ptr<const rule_schedule> schedule{};
    std::optional<txmon::pace> pace{};
    bool all = false;
  };
  static constexpr std::size_t most_queued = 32, most_taken = 1024;
  static constexpr std::size_t most_sent = 256;  ///< postings at once: 16 KiB

  void enqueue(order o);
  void run(const std::stop_token& stopping);
  void look_for_work(const std::stop_token& stopping) const;
  void look_for_room() const;
  /// The lock, which is held for less than a microsecond; with `hot` it is tried for longer than that before anybody sleeps.
  std::unique_lock<std::mutex> locked();
  /// Moves orders from the queue to `next`: one, and what follows it while that makes no more than `most_taken` postings,
  /// so that what came meanwhile does not wait behind it order by order. What `next` had is done. The lock is held.
  void take_orders(std::vector<order>& next);
  void carry_out(const std::vector<order>& orders);
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
  account_port& port_;
  const accounts& names_;
  std::shared_ptr<const rule_schedule> schedule_;
  const bool fresh_;
  const std::chrono::microseconds hot_;

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

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<order> queue_;
  /// Carried out; who enqueues the next order frees them. Blocks were allocated on that side, and where one thread frees
  /// while another allocates from the same heap, each waits for the other, for longer than a small block takes to send.
  std::vector<order> done_;
  std::atomic<std::size_t> queued_{0};  // how many are in queue_: a hint; the mutex publishes them
  bool busy_ = false;
  std::exception_ptr failed_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace txmon
