// runtime/system/commands.hpp - tells all workers something and waits until each has done it.
// Why: pausing, spawning, counting and stopping need every worker's answer between two of its handlers.
// Threads: one caller at a time (the core's lock).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "runtime/system/segment.hpp"

namespace perdure::runtime {

/// Sum of all workers' counters, taken when each acknowledged.
struct totals {
  abi::u64 count[abi::counters] = {};
  abi::u64 at(abi::counter which) const { return count[static_cast<std::uint32_t>(which)]; }
  abi::u64 dead() const {
    abi::u64 n = 0;
    for (std::uint32_t i = 0; i < abi::dead_reasons; ++i)
      n += count[static_cast<std::uint32_t>(abi::counter::dead) + i];
    return n;
  }
};

class commands {
 public:
  commands(engine& e, segment& s, const program& actors)
      : engine_{e}, segment_{s}, actors_{actors} {}

  /// Gives the command and waits for all workers. `meanwhile` is called while waiting: it takes in what workers
  /// send, so that a full ring to the host cannot keep them from answering.
  /// @return the counters, or stuck, naming the first silent worker and what it handles, or device_failed.
  /// A worker that is merely slow is not stuck: it has grace_ns to answer, however near the deadline is.
  result<totals> give(abi::command what, std::uint64_t deadline_ns,
                      const std::function<void()>& meanwhile);
  /// Gives the command and waits for nobody.
  void tell(abi::command what);

  static constexpr std::uint64_t grace_ns = 500'000'000;

 private:
  error stuck(std::uint32_t worker) const;
  engine& engine_;
  segment& segment_;
  const program& actors_;
  std::uint64_t epoch_ = 0;
};

}  // namespace perdure::runtime
