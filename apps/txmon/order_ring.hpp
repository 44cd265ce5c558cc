// apps/txmon/order_ring.hpp - what all lanes have to do, written once: one writer, and readers who each see every order.
// Why: an order goes to every lane. Handed to each under a lock of its own it cost a dozen locks that the lanes had just held,
//      six microseconds a block however small, and a small block is what an alert waits for.
// Invariant: order i lies at i modulo `slots` until every reader has passed it; the writer alone writes and frees slots, never a
//            reader: where one thread frees while another allocates from the same heap, each waits for the other, for longer
//            than a small block takes to send.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <vector>

#include "event_order.hpp"
#include "rule_schedule.hpp"

namespace txmon {

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

/// One of its members, or what is held back is to go out.
struct order {
  std::shared_ptr<const batch> rows{};  ///< the next block
  /// Agrees with the one in force up to the last block's watermark.
  std::shared_ptr<const rule_schedule> schedule{};
  std::optional<txmon::pace> pace{};  ///< from now on postings wait until they are due
  bool all = false;                   ///< send what is held back, whatever its time
};

class order_ring {
 public:
  static constexpr std::size_t slots = 32;

  /// @param hot  whoever waits looks so long before he sleeps, the writer at most 20 us: waking him costs more than an alert
  ///             may take
  explicit order_ring(std::uint32_t readers,
                      std::chrono::microseconds hot = std::chrono::microseconds{0});
  order_ring(const order_ring&) = delete;
  order_ring& operator=(const order_ring&) = delete;

  // The writer: one thread at a time, each of which sees what the one before it did.
  /// Waits while a reader is `slots` orders behind. @throws what a reader failed with
  void push(order o);
  /// Waits until every reader has passed all that was pushed. @throws what a reader failed with
  void drain();

  // Readers, from number 0.
  /// Waits for orders from number `at` on. @return how many were ever pushed; `at` if asked to stop
  std::uint64_t wait_for(std::uint64_t at, const std::stop_token& stopping);
  /// A number that wait_for() said is there and that this reader has not passed.
  const order& operator[](std::uint64_t number) const { return slots_[number % slots].what; }
  /// The reader has carried out all orders below `upto`; whoever sees it passed sees what the reader did. Release.
  void pass(std::uint32_t reader, std::uint64_t upto);
  /// What push() and drain() throw from now on; the first one counts. The reader passes nothing more.
  void fail(std::exception_ptr why);
  /// A reader that was asked to stop looks again.
  void wake();

 private:
  struct alignas(64) slot {  // the next one is written while this one is read
    order what;
  };
  /// Release: whoever sees it sees what the reader did. And sequentially consistent with `writer_asleep_`.
  struct alignas(64) passed_by_one {
    std::atomic<std::uint64_t> upto{0};
  };

  /// Frees what every reader has passed. @return how many orders are not freed
  std::size_t free_passed();
  template <class There>
  void wait_for_readers(There there);
  void rethrow_if_failed();

  // read by all, at every order
  const std::chrono::microseconds hot_;
  std::vector<slot> slots_;
  std::vector<passed_by_one> passed_;
  // the writer's: on a line of its own, as what follows
  alignas(64) std::uint64_t pushed_ = 0, freed_ = 0;
  /// Orders below it are in their slots: release, with the acquire of who sees the number. And sequentially consistent with
  /// `readers_asleep_`: who sleeps says so before he looks once more, and who has something for him looks there behind it, so
  /// one of the two sees the other.
  alignas(64) std::atomic<std::uint64_t> written_{0};
  alignas(64) std::atomic<std::uint32_t> readers_asleep_{0};
  std::atomic<bool> writer_asleep_{false};  ///< the same, with `passed_by_one::upto`
  std::atomic<bool> has_failed_{false};     ///< release, with acquire: `failed_` is there
  std::mutex mutex_;
  std::condition_variable written_changed_, passed_changed_;
  std::exception_ptr failed_;  // under the mutex
};

}  // namespace txmon
