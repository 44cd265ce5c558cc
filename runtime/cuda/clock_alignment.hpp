// runtime/cuda/clock_alignment.hpp - how far the host's wall clock is ahead of the device's timer.
// Why: stamps of host and device are compared, so both must read nearly the same time, and one must know how nearly.
// Invariant: the true offset lies within bound_ns() of offset_ns(); see clock_exchange.hpp.
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
  /// Asks until the bound is `enough_ns` or no better, at most `most` times; the first question wakes the worker up.
  void renew(std::int64_t enough_ns, int most);

  /// Wall clock less device timer; 0 before the first answer.
  std::int64_t offset_ns() const;
  /// How far from that the truth may be, either way, now; INT64_MAX before the first answer.
  std::int64_t bound_ns() const;

 private:
  /// The timer steps by 32 ns, and between two readings the worker counts cycles: kernels/platform/device_clock.cuh.
  static constexpr std::int64_t reading_ns = 64;

  abi::control_page* page_;
  std::uint64_t question_ = 0;
  clock_exchange exchange_{reading_ns};
};

}  // namespace perdure::runtime
