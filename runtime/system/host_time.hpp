// runtime/system/host_time.hpp - the clocks of the host, in nanoseconds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
/// What PERDURE_TIME_SCALE is set to, where that is no whole number from 1 to 1,000; else null.
inline const char* wrong_time_scale() {
  const char* const set = std::getenv("PERDURE_TIME_SCALE");
  if (set == nullptr || *set == '\0') return nullptr;
  const char* const end = set + std::strlen(set);
  unsigned value = 0;
  const auto [stop, code] = std::from_chars(set, end, value);
  return code == std::errc{} && stop == end && value >= 1 && value <= 1000 ? nullptr : set;
}
/// PERDURE_TIME_SCALE: all timeouts are this many times as long, for runs under a checker or a debugger; 1 unless set.
inline std::uint64_t time_scale() {
  static const std::uint64_t scale = [] {
    const char* set = std::getenv("PERDURE_TIME_SCALE");
    const auto value = set == nullptr ? 1 : std::strtoull(set, nullptr, 10);
    return value < 1 ? 1 : value > 1000 ? 1000 : value;
  }();
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
