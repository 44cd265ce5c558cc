// tests/support/worker_ring.hpp - a worker's end of a ring to the host, in plain memory.
// Why: taking in is tested and measured without workers, with as many letters as the ring holds.
// Invariant: words are laid as kernels/dispatch/deliver.cuh lays them; tail <= head + capacity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/payload.cuh"
#include "kernels/dispatch/memory.cuh"

namespace perdure_test {

namespace abi = perdure::abi;
namespace loop = perdure::loop;

class worker_ring {
 public:
  explicit worker_ring(std::uint32_t shift) : shift_{shift}, words_(std::size_t{1} << shift) {}

  const loop::word* words() const { return words_.data(); }
  loop::line_counter* head() { return &head_; }
  std::uint32_t shift() const { return shift_; }
  std::uint64_t tail() const { return tail_; }

  /// Sends one message to the host if there is room. @threads one
  /// @memory  acquire on the head: pairs with ring_reader::publish().
  bool try_send(abi::host_kind kind, std::uint32_t index, std::uint32_t message,
                std::uint64_t sender, std::uint64_t stamp, const void* payload,
                std::uint32_t bytes) {
    const std::uint32_t parts = abi::parts_for(bytes);
    const std::uint32_t n = parts == 0 ? abi::words_for(bytes) : parts * abi::max_words;
    const std::uint32_t behind =
        (abi::header_bytes + bytes + abi::word_bytes - 1) / abi::word_bytes;
    const auto head = loop::load<loop::order::acquire, loop::scope::system>(&head_.value);
    if (tail_ + n > head + words_.size()) return false;
    put(0, {abi::envelope_lo(index, message, abi::host_handler(kind, parts), abi::words_for(bytes)),
            sender & abi::data_mask});
    const std::uint64_t clock = abi::stamp_to_wire(stamp);
    for (std::uint32_t k = 1; k < n; ++k)
      put(k, k < 2 || k < behind ? abi::word_of_bytes(payload, bytes, k, clock) : loop::word{});
    tail_ += n;
    return true;
  }
  bool try_letter(std::uint32_t mailbox, std::uint64_t sender, std::uint64_t stamp,
                  const void* payload, std::uint32_t bytes) {
    return try_send(abi::host_kind::mailbox, mailbox, 0, sender, stamp, payload, bytes);
  }
  bool all_given_back() const {
    return loop::load<loop::order::acquire, loop::scope::system>(&head_.value) == tail_;
  }

 private:
  void put(std::uint32_t k, loop::word w) {
    const std::uint64_t pos = tail_ + k;
    loop::store<loop::order::relaxed, loop::scope::system>(&words_[pos & (words_.size() - 1)],
                                                           abi::tagged(w, pos, shift_, k == 0));
  }

  std::uint32_t shift_;
  std::vector<loop::word> words_;
  loop::line_counter head_{};
  std::uint64_t tail_ = 0;
};

}  // namespace perdure_test
