// runtime/cuda/clock_alignment.hpp - how far the host's wall clock is ahead of the device's timer.
// Why: stamps of host and device are compared, so both must read nearly the same time, and one must know how nearly.
//      Answers are timed by the host's raw clock, which nobody sets or slows, so its rate hardly changes.
// Invariant: the true offset lies within bound_ns() of what publish() gave last; see clock_exchange.hpp.
// Threads: one caller at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/abi/control.cuh"
#include "runtime/cuda/clock_exchange.hpp"

namespace perdure::runtime {

class clock_alignment {
 public:
  /// @param page  of a worker that looks at it again and again and answers there.
  explicit clock_alignment(abi::control_page* page) : page_{page} {}

  /// Asks for the time; waits up to `most_ns` for the answer. @return whether there was one.
  /// @param believe  whether the answer counts.
  bool ask(std::uint64_t most_ns, bool believe = true);
  /// Asks, unless it has, and does not wait. @return whether there was an answer: then the worker looks again at once, for a
  ///         while, so that renew() takes little time of a thread that others wait for.
  bool knock();
  /// Asks until the bound is `enough_ns` or no better, at most `most` times, and no further time when 100 us have passed
  /// since the first answer; the first question wakes the worker up.
  void renew(std::int64_t enough_ns, int most);

  /// Wall clock less device timer, for the workers, from now on; 0 before the first answer.
  std::int64_t publish();
  /// How far from what the workers use the truth may be, either way, now; INT64_MAX before the first answer.
  std::int64_t bound_ns() const;

 private:
  /// The timer steps by 32 ns, and between two readings the worker counts cycles: kernels/platform/device_clock.cuh.
  static constexpr std::int64_t reading_ns = 64;

  /// A worker that does not fire looks at its page every 131 us, or between two batches: some still use the offset before.
  static constexpr std::uint64_t on_its_way_ns = 1'000'000;

  struct wall_reading {
    std::int64_t raw_ns;
    std::int64_t ahead_ns;     ///< wall clock less raw clock
    std::int64_t wrong_by_ns;  ///< by so much less, at the most
  };
  static wall_reading read_wall();

  abi::control_page* page_;
  std::uint64_t question_ = 0;
  bool knocked_ = false;
  std::int64_t used_ns_ = 0, before_ns_ = 0;  ///< what publish() gave last, and before
  std::uint64_t published_at_ns_ = 0;         ///< steady clock; 0: not yet
  clock_exchange exchange_{reading_ns};
};

}  // namespace perdure::runtime
