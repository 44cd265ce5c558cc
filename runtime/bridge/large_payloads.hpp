// runtime/bridge/large_payloads.hpp - one host lane's buffers for messages over 240 bytes.
// Why: such a payload does not travel in the ring: it lies in a buffer, and the message carries its handle
//      (kernels/dispatch/host_buffers.cuh).
// Invariant: a buffer is filled again only when the worker that had its last message has given it back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "kernels/dispatch/host_buffers.cuh"

namespace perdure::runtime {

/// What the message carries.
inline constexpr std::uint32_t handle_bytes = sizeof(std::uint64_t);

/// All lanes' buffers, by the host's addresses.
struct host_buffers {
  std::byte* bytes = nullptr;            ///< [buffers][loop::memory::buffer_bytes]
  std::uint32_t* filled = nullptr;       ///< [buffers] the host's word
  const std::uint32_t* given = nullptr;  ///< [buffers] the workers'
};

/// Threads: one at a time (the lane's lock).
class large_payloads {
 public:
  large_payloads() = default;  ///< has none
  /// Those from `first` on. @param m  the workers' memory, for its sizes
  large_payloads(const host_buffers& all, const loop::memory& m, std::uint32_t first,
                 std::uint32_t count)
      : all_{all},
        bytes_each_{m.buffer_bytes},
        pooled_{m.buffer_count},
        first_{first},
        filled_(count) {}

  /// Whether one is free: put() takes it.
  /// @memory acquire: pairs with give_to_host(); who had it is done with reading.
  bool has_room() {
    for (std::size_t tries = 0; tries < filled_.size(); ++tries) {
      if (loop::load<loop::order::acquire, loop::scope::system>(&all_.given[first_ + next_]) ==
          filled_[next_])
        return true;
      next_ = next_ + 1 == filled_.size() ? 0 : next_ + 1;
    }
    return false;
  }
  /// Fills it. @pre has_room(). @return the handle: all that the message carries
  /// @memory release: pairs with await_host()
  std::uint64_t put(const void* message, std::uint32_t bytes) {
    const std::uint32_t which = first_ + next_;
    std::memcpy(all_.bytes + std::size_t{which} * bytes_each_, message, bytes);
    const std::uint32_t times = ++filled_[next_];
    loop::store<loop::order::release, loop::scope::system>(&all_.filled[which], times);
    return loop::handle_of_host(pooled_, which, times);
  }

 private:
  host_buffers all_;
  std::uint32_t bytes_each_ = 0, pooled_ = 0, first_ = 0;
  std::uint32_t next_ = 0;             ///< looked at first
  std::vector<std::uint32_t> filled_;  ///< how often each was
};

}  // namespace perdure::runtime
