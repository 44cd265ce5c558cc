// kernels/platform/device_clock.cuh - the device's timer, read often.
// Why: reading %globaltimer takes about half a microsecond, the cycle counter a few cycles; so the timer is read
//      now and then, and the cycles since are converted with the rate of the interval before.
// Invariant: what a lane reads never falls; it is off by no more than the rate's change within `resync_cycles`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/ref_bits.cuh"

namespace perdure::loop {

class device_clock {
 public:
  device_clock() : base_ns_{timer()}, base_cycles_{clock64()} {}

  /// Nanoseconds of the device's timer. Each lane has a clock of its own.
  abi::u64 operator()() {
    const long long cycles = clock64();
    abi::u64 passed = static_cast<abi::u64>(cycles - base_cycles_);
    if (passed >= resync_cycles) {
      const abi::u64 ns = timer();
      const float rate = __fdividef(static_cast<float>(ns - base_ns_) * 1024.0F,
                                    static_cast<float>(passed));  // ten bits are kept
      rate_ = rate < least_rate  ? least_rate
              : rate > most_rate ? most_rate
                                 : static_cast<abi::u32>(rate);
      base_ns_ = ns;
      base_cycles_ = cycles;
      passed = 0;
    }
    const abi::u64 now = base_ns_ + (passed * rate_ >> 10U);
    last_ = now > last_ ? now : last_;
    return last_;
  }

 private:
  static constexpr abi::u64 resync_cycles = 1U << 15U;
  static constexpr abi::u32 least_rate = 256;   ///< 4 GHz, in nanoseconds a 1,024 cycles
  static constexpr abi::u32 most_rate = 10240;  ///< 100 MHz

  static abi::u64 timer() {
    abi::u64 ns;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
    return ns;
  }
  abi::u64 base_ns_;
  long long base_cycles_;
  abi::u64 last_ = 0;
  abi::u32 rate_ = 512;
};

}  // namespace perdure::loop
