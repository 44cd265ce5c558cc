// apps/txmon/account_system.hpp - the actor system with its accounts and their mailbox; nothing of order or rules.
// Why: sending with patience, spawning as ids appear and taking alerts in are one concern, ordering another.
// Invariant: `came()` is how many alerts the mailbox has given; a send that makes no headway for ten seconds is an error.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "account.hpp"
#include "lane.hpp"
#include "outcome.hpp"
#include "perdure/system.hpp"

namespace txmon {

/// The accounts alone.
const perdure::program& account_program();

class account_system final : public account_port {
 public:
  static constexpr std::uint32_t spawn_size =
      4096;  ///< accounts are spawned by so many, or multiples

  /// @param program  has accounts; what else it has may send to them
  account_system(const perdure::options& options, const terms& common, std::size_t mailbox_slots,
                 std::function<void(const finding&)> on_alert,
                 const perdure::program& program = account_program());
  ~account_system() override;

  perdure::ref<account> ref_of(std::uint32_t id) const {
    return ranges_[id / spawn_size][id % spawn_size];
  }
  void send(std::span<const std::uint32_t> to, std::span<const terms> what) override;
  void send(std::span<const std::uint32_t> to, std::span<const transaction> what) override;

  /// Spawns until ids 0 .. count-1 are there. @param states  of the first ones, if they were seen before.
  /// @param on_progress  called with how many there are, after each lot of them
  void ensure(std::uint32_t count, std::span<const account> states = {},
              const std::function<void(std::uint64_t there)>& on_progress = {});
  /// Waits until nothing is queued and as many alerts have come as the accounts have sent.
  void settle();
  /// Alerts since the last time, in the order they came.
  std::vector<finding> take_alerts();
  /// Calls use(states) for the first `count` accounts, some ranges at a time.
  void view(std::uint32_t count, const std::function<void(std::span<const account>)>& use);
  perdure::system& system() { return system_; }
  /// The accounts run on this machine's processors: whoever waits for them must not spin.
  bool shares_processors() const { return room_wait_.count() != 0; }
  std::uint32_t workers() const { return workers_; }

 private:
  using alert_box = perdure::mailbox<alert>;
  /// As it came: what it means is worked out when somebody asks, not while the mailbox fills.
  struct stamped_alert {
    alert body;
    std::uint64_t hlc;
  };

  void collect(const std::stop_token& stopping);
  void keep(std::span<const alert_box::letter_type> letters);
  template <class M>
  void send_all(std::span<const perdure::ref<account>> to, std::span<const M> what);
  template <class M>
  void send_all(std::span<const std::uint32_t> to, std::span<const M> what);

  terms common_;
  std::function<void(const finding&)> on_alert_;
  perdure::system system_;
  alert_box box_;
  /// For alerts. 0 with a seed, where waiting runs the workers and virtual time: only who sends and who settles may do that.
  const std::chrono::nanoseconds letter_wait_;
  /// For room in a full lane: on cores that are the workers' too a thread that waits must sleep, beside a GPU it tries again.
  const std::chrono::nanoseconds room_wait_;
  const std::uint32_t workers_;
  const std::size_t ranges_at_once_;             // spawned together, if so many are asked for
  std::vector<perdure::range<account>> ranges_;  // reserved once: lanes read while it grows
  std::atomic<std::uint64_t> came_{0};
  std::mutex mutex_;
  std::condition_variable kept_;  ///< with it: an alert more, or a failure
  /// In parts that do not move: a vector of all would be copied as it grows, a tenth of a second for a million, and the
  /// accounts would wait for the mailbox meanwhile.
  std::vector<std::vector<stamped_alert>> alerts_;
  std::exception_ptr failed_;
  std::jthread collector_;  // last: it uses all of the above
};

}  // namespace txmon
