// tools/perdure/windows.hpp - what a running system does in each window of time, and what the
// machine is like meanwhile.
// Why: a median over a minute hides a stall of a second, a clock that sinks and memory that grows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "bench.hpp"
#include "samples.hpp"

namespace bench {

class windows {
 public:
  /// @param uuid  of the device, for clocks, power and temperature; empty: none are looked for.
  windows(perdure::system& system, double window_seconds, std::string uuid);

  /// Looks once a window until `over(handled)` or `most_seconds` are past; `handled`: as of the
  /// last look. The window in which it is over does not count, unless it is the only one.
  void watch(double most_seconds, const std::function<bool(std::uint64_t handled)>& over);

  /// Adds results MODE_messages_per_s, the percentiles of the windows, the series, and how memory
  /// grew.
  void into(nlohmann::json& report, const std::string& mode) const;

 private:
  struct look {
    double at;  ///< seconds since the first look
    std::uint64_t handled, queued, batches, spilled, clock_bound_ns, host_bytes, device_free_bytes;
    nlohmann::json device;
  };
  look take();
  void at_least_one();

  perdure::system& system_;
  double window_seconds_;
  std::string uuid_;
  steady::time_point began_;
  std::vector<look> looks_;
  bool partial_ = false;  ///< it was over before one window: the only one holds the end
};

/// Bytes of this process that are in memory; 0 where that cannot be told.
std::uint64_t resident_bytes();
/// Free bytes of device 0; 0 without one.
std::uint64_t device_free_bytes();

}  // namespace bench
