// runtime/system/host_time.hpp - the two clocks of the host, in nanoseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include "kernels/clock/hybrid.cuh"

namespace perdure::runtime {

inline std::uint64_t steady_clock_ns() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}
/// Nanoseconds since 2026-01-01 UTC.
inline std::uint64_t wall_clock_ns() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
             std::chrono::duration_cast<std::chrono::nanoseconds>(since).count()) -
         loop::epoch_2026_ns;
}

}  // namespace perdure::runtime
