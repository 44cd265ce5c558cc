// runtime/cuda/clock_alignment.cpp - see clock_alignment.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/cuda/clock_alignment.hpp"

#include <algorithm>

#include "kernels/platform/atomics.cuh"
#include "runtime/system/host_time.hpp"

namespace perdure::runtime {

bool clock_alignment::sample(std::uint64_t most_ns) {
  using namespace loop;
  // relaxed: the timer is a value of its own; when it changes, it has just arrived
  const std::uint64_t before = load<order::relaxed, scope::system>(&page_->clock_ns);
  const std::uint64_t until = steady_clock_ns() + most_ns;
  for (;;) {
    const std::uint64_t seen = load<order::relaxed, scope::system>(&page_->clock_ns);
    const std::uint64_t wall = wall_clock_ns();
    if (seen != before) {
      recent_[next_++ % recent_.size()].offset_ns =
          static_cast<std::int64_t>(wall) - static_cast<std::int64_t>(seen);
      return true;
    }
    if (steady_clock_ns() > until) return false;
  }
}

std::int64_t clock_alignment::offset_ns() const {
  const auto best = std::min_element(recent_.begin(), recent_.end(),
                                     [](point a, point b) { return a.offset_ns < b.offset_ns; });
  return best->offset_ns == INT64_MAX ? 0 : best->offset_ns;
}

}  // namespace perdure::runtime
