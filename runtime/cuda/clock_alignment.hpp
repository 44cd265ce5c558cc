// runtime/cuda/clock_alignment.hpp - how far the host's wall clock is ahead of the device's timer.
// Why: stamps of host and device are compared, so both must read nearly the same time.
// Invariant: each sample is late by the way from device to host, never early; the least of recent ones is the best.
// Threads: one caller at a time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "kernels/abi/control.cuh"

namespace perdure::runtime {

class clock_alignment {
 public:
  /// @param page  of a worker that looks at its command word again and again; it writes its timer there.
  explicit clock_alignment(const abi::control_page* page) : page_{page} {}

  /// Waits up to `most_ns` for the worker's next sample. @return whether there was one.
  bool sample(std::uint64_t most_ns);
  /// Wall clock less device timer, from the samples of about the last second; 0 before the first one.
  std::int64_t offset_ns() const;

 private:
  struct point {
    std::int64_t offset_ns = INT64_MAX;
  };
  const abi::control_page* page_;
  std::array<point, 64> recent_{};
  std::size_t next_ = 0;
};

}  // namespace perdure::runtime
