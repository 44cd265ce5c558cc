// runtime/system/thread_number.hpp - a small number for each host thread.
// Why: threads that begin at different places seldom get into each other's way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace perdure::runtime {

/// Counted from 0 in the order in which threads first ask. @threads any
inline std::uint32_t thread_number() {
  static std::atomic<std::uint32_t> next{0};
  // relaxed: nothing is published by it
  thread_local const std::uint32_t mine = next.fetch_add(1, std::memory_order_relaxed);
  return mine;
}

}  // namespace perdure::runtime
