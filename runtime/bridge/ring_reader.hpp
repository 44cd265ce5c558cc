// runtime/bridge/ring_reader.hpp - host end of one worker's ring to the host: replies, letters, events.
// Why: the worker writes words across the bus and never waits for the host's answer.
// Invariant: one thread reads at a time (the caller's lock); progress is published after the words were read. ready()
//            alone may be called by any thread: a hint whether taking the lock is worth it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "kernels/abi/payload.cuh"
#include "kernels/dispatch/memory.cuh"

namespace perdure::runtime {

/// A message from a worker, unpacked: index is the ask or mailbox, message an id of the program.
struct inbound_message {
  abi::host_kind kind;
  std::uint32_t index, message;
  std::uint64_t sender;      ///< 56 bits
  std::uint64_t wire_clock;  ///< 56 bits
  alignas(16) unsigned char payload[abi::max_words * 16];
};

class ring_reader {
 public:
  ring_reader(const loop::word* words, loop::line_counter* head, std::uint32_t shift)
      : words_{words}, head_{head}, shift_{shift} {}

  /// Whether the first word of another message is there.
  bool ready() const {
    // relaxed: a stale position gives a wrong hint and nothing else
    const std::uint64_t here = loop::load<loop::order::relaxed, loop::scope::block>(&position_);
    return abi::is_ready(read(here), here, shift_);
  }
  /// Unpacks the next message if all of it is there; consume() then passes it.
  bool peek(inbound_message& out) {
    const loop::word first = read(position_);
    if (!abi::is_ready(first, position_, shift_)) return false;
    count_ = abi::words_of(first);
    loop::word all[abi::max_words + 14];
    all[0] = first;
    for (std::uint32_t k = 1; k < count_; ++k) {
      all[k] = read(position_ + k);
      if (!abi::is_ready(all[k], position_ + k, shift_)) return false;
    }
    out.kind = static_cast<abi::host_kind>(abi::handler_of(first));
    out.index = abi::receiver_index(first);
    out.message = abi::receiver_generation(first);
    out.sender = abi::sender_of(first);
    out.wire_clock = abi::wire_stamp(all[1]);
    abi::unpack_bytes(out.payload, all, abi::word_bytes * count_ - abi::header_bytes, count_);
    return true;
  }
  void consume() {
    loop::store<loop::order::relaxed, loop::scope::block>(&position_, position_ + count_);
  }
  /// Lets the worker use the words again. @memory  release; pairs with the acquire in deliver.cuh's limit_of().
  void publish() {
    loop::store<loop::order::release, loop::scope::system>(&head_->value, position_);
  }

 private:
  loop::word read(std::uint64_t pos) const {
    return loop::load<loop::order::relaxed, loop::scope::system>(
        &words_[pos & ((std::uint64_t{1} << shift_) - 1)]);
  }

  const loop::word* words_;
  loop::line_counter* head_;
  std::uint32_t shift_;
  std::uint32_t count_ = 0;
  std::uint64_t position_ = 0;
};

}  // namespace perdure::runtime
