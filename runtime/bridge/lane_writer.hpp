// runtime/bridge/lane_writer.hpp - host end of one host lane: puts messages where a worker looks.
// Why: the host never reads or changes a word that the device writes, except the device's progress.
// Invariant: one thread writes at a time (the caller's lock); tail - head <= capacity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/abi/payload.cuh"
#include "kernels/dispatch/memory.cuh"

namespace perdure::runtime {

class lane_writer {
 public:
  lane_writer(loop::word* words, const loop::line_counter* head, std::uint32_t shift)
      : words_{words}, head_{head}, shift_{shift} {}

  /// Puts one message if there is room for it.
  /// @memory  the words are relaxed stores that each carry the lap; the head is read with acquire, so a word is
  ///          overwritten only after the worker's release that follows its reads.
  bool try_push(std::uint64_t to, std::uint32_t handler, std::uint64_t sender, std::uint64_t stamp,
                const void* payload, std::uint32_t bytes) {
    const std::uint32_t n = abi::words_for(bytes);
    if (!has_room(n)) return false;
    const std::uint64_t clock = abi::stamp_to_wire(stamp);
    for (std::uint32_t k = n - 1; k > 0; --k) put(k, abi::word_of_bytes(payload, bytes, k, clock));
    // last, so that who looks at it has seldom to look again for the others
    put(0, {abi::envelope_lo(abi::ref_index(to), abi::ref_generation(to), handler, n),
            sender & abi::data_mask});
    tail_ += n;
    return true;
  }
  std::uint64_t tail() const { return tail_; }

 private:
  void put(std::uint32_t k, loop::word w) {
    const std::uint64_t pos = tail_ + k;
    loop::store<loop::order::relaxed, loop::scope::system>(
        &words_[pos & ((std::uint64_t{1} << shift_) - 1)], abi::tagged(w, pos, shift_, k == 0));
  }
  bool has_room(std::uint32_t n) {
    const std::uint64_t capacity = std::uint64_t{1} << shift_;
    if (tail_ + n <= seen_ + capacity) return true;
    seen_ = loop::load<loop::order::acquire, loop::scope::system>(&head_->value);
    return tail_ + n <= seen_ + capacity;
  }

  loop::word* words_;
  const loop::line_counter* head_;
  std::uint32_t shift_;
  std::uint64_t tail_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace perdure::runtime
