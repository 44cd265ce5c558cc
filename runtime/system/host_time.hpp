// runtime/system/host_time.hpp - the clocks of the host, in nanoseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "kernels/clock/hybrid.cuh"

namespace perdure::runtime {

inline std::uint64_t steady_clock_ns() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}
/// Counts without being set, and without being slowed or hastened towards other clocks.
inline std::uint64_t raw_clock_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(t.tv_nsec);
}
/// What PERDURE_TIME_SCALE says: 1 where it is not set or empty; 0 where it is no whole number from 1 to 1,000, which start() refuses.
inline std::uint64_t time_scale_set() {
  const char* const set = std::getenv("PERDURE_TIME_SCALE");
  if (set == nullptr || *set == '\0') return 1;
  const char* const end = set + std::strlen(set);
  std::uint64_t value = 0;
  const auto [stop, code] = std::from_chars(set, end, value);
  return code == std::errc{} && stop == end && value <= 1000 ? value : 0;
}
/// All timeouts are this many times as long, for runs under a checker or a debugger.
inline std::uint64_t time_scale() {
  static const std::uint64_t scale = std::max(std::uint64_t{1}, time_scale_set());
  return scale;
}
/// Unix time in nanoseconds since 2026-01-01 UTC; 0 for a clock that was never set.
constexpr std::uint64_t since_2026(std::int64_t unix_ns) {
  constexpr auto epoch = static_cast<std::int64_t>(loop::epoch_2026_ns);
  return unix_ns > epoch ? static_cast<std::uint64_t>(unix_ns - epoch) : 0;
}
/// Nanoseconds since 2026-01-01 UTC.
inline std::uint64_t wall_clock_ns() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return since_2026(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

}  // namespace perdure::runtime
