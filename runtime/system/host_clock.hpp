// runtime/system/host_clock.hpp - the host's hybrid logical clock, shared by its threads.
// Why: a host passes on to one thread, or to one system, what it knows from another.
// Invariant: no stamp is given twice; each is above all that were given or received before it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/abi/envelope.cuh"
#include "kernels/clock/hybrid.cuh"

namespace perdure::runtime {

class host_clock {
 public:
  /// The first of `events` stamps in a row, all above every stamp given or received before.
  std::uint64_t next(std::uint64_t wall, std::uint64_t events = 1) {
    const std::uint64_t at = loop::stamp_at(wall);
    // most calls within a microsecond find the clock past it: they need not try again when others are at it, too
    for (std::uint64_t last = last_.load(std::memory_order_relaxed); last < at;) {
      if (last_.compare_exchange_weak(last, at + events, std::memory_order_relaxed)) return at + 1;
    }
    return last_.fetch_add(events, std::memory_order_relaxed) + 1;
  }
  /// What stands near every stamp that arrives now.
  std::uint64_t local(std::uint64_t wall) const {
    const std::uint64_t last = last_.load(std::memory_order_relaxed);
    return last > loop::stamp_at(wall) ? last : loop::stamp_at(wall);
  }
  /// The full stamp of a message that arrives; merge() must follow, for the latest of several.
  /// @param near  from local().
  /// @param wire  0 from a worker that has no time yet: a dead letter of its first batch.
  std::uint64_t arrival(std::uint64_t wire, std::uint64_t near, std::uint64_t wall) {
    if (wire == 0) return next(wall);  // as a stamp it may be days ahead: they repeat
    return abi::stamp_from_wire(wire, near);
  }
  /// Receiving is an event: what the host does next comes after `stamp`.
  void merge(std::uint64_t stamp) {
    std::uint64_t last = last_.load(std::memory_order_relaxed);
    while (last < stamp && !last_.compare_exchange_weak(last, stamp, std::memory_order_relaxed)) {
    }
  }
  /// All three for one message. @return the full stamp.
  std::uint64_t receive(std::uint64_t wire, std::uint64_t wall) {
    const std::uint64_t full = arrival(wire, local(wall), wall);
    merge(full);
    return full;
  }

 private:
  std::atomic<std::uint64_t> last_{0};
};

}  // namespace perdure::runtime
