// runtime/cpu/bell.hpp - an event count: threads that sleep until another thread says that there is something to look at.
// Why: where workers and host share cores, who waits by looking takes the core from whom it waits for.
// Invariant: whoever sleeps was counted before its last look, so either that look sees what was put, or who put it sees
//            the sleeper.
// Source: the eventcount of D. Vyukov's notes and folly::EventCount, here with a mutex for the sleep itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace perdure::runtime {

class bell {
 public:
  /// Wakes whoever sleeps here; a fence and a load if nobody does.
  /// @memory  sequentially consistent fence between what the caller has put and the look for sleepers; pairs with wait()'s.
  /// @threads any
  void ring() {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (sleepers_.load(std::memory_order_relaxed) == 0) return;
    {
      const std::lock_guard lock{mutex_};
      ++rings_;
    }
    rung_.notify_all();
  }

  /// Looks once more; if there is nothing, sleeps until ring(), or for as long as `most_ns()` says.
  /// @param look  () -> bool, whether there is something; it may ring.  @param most_ns  () -> nanoseconds, asked behind it.
  /// @return what the look said.
  template <class Look, class Most>
  bool wait(Look look, Most most_ns) {
    const counted here{sleepers_};
    std::uint64_t seen;
    {
      const std::lock_guard lock{mutex_};
      seen = rings_;
    }
    std::atomic_thread_fence(std::memory_order_seq_cst);
    const bool found = look();
    if (!found) {
      std::unique_lock lock{mutex_};
      rung_.wait_for(lock, std::chrono::nanoseconds{most_ns()}, [&] { return rings_ != seen; });
    }
    return found;
  }
  /// How many are between their last look and their waking; a hint.
  std::uint32_t sleepers() const { return sleepers_.load(std::memory_order_relaxed); }

 private:
  struct counted {  ///< for as long as it lives; a look may throw
    explicit counted(std::atomic<std::uint32_t>& all) : all_{all} {
      all_.fetch_add(1, std::memory_order_relaxed);
    }
    ~counted() { all_.fetch_sub(1, std::memory_order_relaxed); }
    counted(const counted&) = delete;
    counted& operator=(const counted&) = delete;
    std::atomic<std::uint32_t>& all_;
  };

  std::atomic<std::uint32_t> sleepers_{0};
  std::mutex mutex_;
  std::condition_variable rung_;
  std::uint64_t rings_ = 0;  ///< guarded by mutex_
};

}  // namespace perdure::runtime
