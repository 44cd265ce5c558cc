// runtime/system/brief_mutex.hpp - a mutex that is held for some ten instructions, and for which a thread hardly sleeps.
// Why: a std::mutex that is taken puts who comes to sleep, and to be woken takes some ten microseconds where the lock is
//      free again after a tenth of one: several round trips to a device, seen in the slowest hundredth of them.
// Invariant: who holds it neither waits nor allocates, but for memory that grows now and then.
// Threads: all members from any thread.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>

namespace perdure::runtime {

/// As std::mutex, for std::lock_guard and the like.
/// @memory as std::mutex
class brief_mutex {
 public:
  void lock() {
    for (int look = 0; look < looks; ++look) {
      if (mutex_.try_lock()) return;
      for (int i = 0; i < pauses_a_look; ++i) pause();
    }
    mutex_.lock();  // who holds it may have lost its core
  }
  bool try_lock() { return mutex_.try_lock(); }
  void unlock() { mutex_.unlock(); }

 private:
  /// Some 40 to 140 cycles each, by the processor: a few microseconds in all.
  static constexpr int looks = 32, pauses_a_look = 2;

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }

  std::mutex mutex_;
};

}  // namespace perdure::runtime
