// runtime/system/callback_line.hpp - calls of the user's on_log and on_dead_letter that wait their turn.
// Why: who takes in what workers send, or watches the time of asks, must not wait until a user's function returns.
// Invariant: calls are made one at a time, in the order in which they were put; none is begun behind end().
// Threads: all members from any thread, but for begin() and end().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace perdure::runtime {

class callback_line {
 public:
  /// So many may wait. One more is lost, and counted: workers would be held up by a function that never catches up.
  static constexpr std::size_t room = 65'536;

  /// @param before  is done ahead of the calls, by the thread that makes them.
  explicit callback_line(std::function<void()> before) : before_{std::move(before)} {}
  callback_line(const callback_line&) = delete;
  callback_line& operator=(const callback_line&) = delete;
  ~callback_line() { end({}); }

  /// From now on a thread of the line's own calls. Throws what std::thread's constructor does.
  void begin() {
    thread_ = std::thread{[this] { call_all(); }};
  }
  /// @param most  so many may wait before this one.
  void put(std::function<void()> call, std::size_t most = room) {
    {
      const std::lock_guard lock{mutex_};
      if (ended_ || calls_.size() >= most) {
        ++lost_;
        return;
      }
      calls_.push_back(std::move(call));
      ++put_;
      waits_.store(true, std::memory_order_relaxed);
    }
    changed_.notify_all();
  }
  /// Where nobody else calls: makes those that wait, on this thread.
  void run() {
    if (thread_.joinable() || !waits_.load(std::memory_order_relaxed)) return;
    std::unique_lock lock{mutex_};
    std::deque<std::function<void()>> now;
    now.swap(calls_);
    waits_.store(false, std::memory_order_relaxed);
    lock.unlock();
    before_();
    for (auto& call : now) call();
    lock.lock();
    called_ += now.size();
  }
  /// Waits until all that have been put so far were called; not if it is one of them that waits.
  void settle(std::chrono::nanoseconds longest) {
    if (!thread_.joinable() || own_.load(std::memory_order_relaxed) == std::this_thread::get_id())
      return;
    std::unique_lock lock{mutex_};
    const std::uint64_t all = put_;
    changed_.wait_for(lock, longest, [&] { return called_ >= all; });
  }
  /// Waits for those that were put, and for the one that is under way however long that takes; the others are lost then.
  void end(std::chrono::nanoseconds longest) {
    if (longest.count() > 0) settle(longest);
    {
      const std::lock_guard lock{mutex_};
      ended_ = true;
      lost_ += calls_.size();
      calls_.clear();
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
  }
  std::uint64_t lost() const {
    const std::lock_guard lock{mutex_};
    return lost_;
  }

 private:
  void call_all() {
    own_.store(std::this_thread::get_id(), std::memory_order_relaxed);
    std::unique_lock lock{mutex_};
    for (;;) {
      changed_.wait(lock, [&] { return ended_ || !calls_.empty(); });
      if (ended_) return;
      {
        const std::function<void()> call = std::move(calls_.front());
        calls_.pop_front();
        lock.unlock();
        before_();
        call();
      }  // what it holds goes before it counts as called
      lock.lock();
      ++called_;
      changed_.notify_all();
    }
  }

  const std::function<void()> before_;
  std::thread thread_;
  std::atomic<std::thread::id>
      own_{};  ///< compared with by that thread itself, so nothing is ordered by it
  std::atomic<bool> waits_{false};  ///< a hint for run(): what is there is looked at under the lock
  mutable std::mutex mutex_;        ///< guards what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> calls_;
  std::uint64_t put_ = 0, called_ = 0, lost_ = 0;
  bool ended_ = false;
};

}  // namespace perdure::runtime
