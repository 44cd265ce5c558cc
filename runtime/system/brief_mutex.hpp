// runtime/system/brief_mutex.hpp - a mutex that is held for some ten instructions, and for which a thread hardly ever sleeps.
// Why: a std::mutex that is taken puts who comes to sleep, and to be woken takes some ten microseconds where the lock is
//      free again after a tenth of one: several round trips to a device, seen in the slowest hundredth of them. And to give
//      it back takes an atomic change, which waits for all stores before it, where here it is one more store.
// Invariant: who holds it neither waits nor allocates, but for memory that grows now and then.
// Threads: all members from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

namespace perdure::runtime {

/// As std::mutex, for std::lock_guard and the like.
/// @memory  lock() acquires what the last unlock() released; neither orders anything else, as a std::mutex on x86-64 happens to.
class brief_mutex {
 public:
  void lock() {
    if (!try_lock()) wait();
  }
  // acquire: pairs with the release in unlock(); what the last holder did is seen
  bool try_lock() { return !held_.exchange(true, std::memory_order_acquire); }
  // release: pairs with the exchange in try_lock()
  void unlock() { held_.store(false, std::memory_order_release); }

 private:
  /// Some 40 to 140 cycles each, by the processor: a few microseconds in all.
  static constexpr int looks = 32, pauses_a_look = 2;
  static constexpr int yields = 64;  ///< then it naps

  void wait() {
    for (int look = 0;; ++look) {
      // relaxed: what counts is the exchange; a line that is only read is not taken from who gives it back
      if (!held_.load(std::memory_order_relaxed) && try_lock()) return;
      if (look < looks) {
        for (int i = 0; i < pauses_a_look; ++i) pause();
      } else if (look < looks + yields) {
        std::this_thread::yield();  // who holds it may have lost its core
      } else {
        look = looks + yields;
        // or may not get it back while a thread of this one's priority runs
        std::this_thread::sleep_for(std::chrono::microseconds{50});
      }
    }
  }

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  std::atomic<bool> held_{false};
};

}  // namespace perdure::runtime
