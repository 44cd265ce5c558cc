// runtime/bridge/lane_writer.hpp - host end of one host lane: puts messages where a worker looks.
// Why: the host never reads or changes a word that the device writes, except the device's progress.
// Invariant: one thread writes at a time (the caller's lock); tail - head <= capacity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>

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
    const loop::word first{
        abi::envelope_lo(abi::ref_index(to), abi::ref_generation(to), handler, n),
        sender & abi::data_mask};
    const std::uint64_t clock = abi::stamp_to_wire(stamp);
    // What a host thread does for every message of a stream: with the number of words known it is loads, shifts and stores.
    switch (goes_round(n) ? 0 : n) {
      case 3:
        put_words<3>(first, clock, payload, bytes);
        break;
      case 4:
        put_words<4>(first, clock, payload, bytes);
        break;
      case 5:
        put_words<5>(first, clock, payload, bytes);
        break;
      case 6:
        put_words<6>(first, clock, payload, bytes);
        break;
      default:
        for (std::uint32_t k = n - 1; k > 0; --k)
          put(k, abi::word_of_bytes(payload, bytes, k, clock));
        put(0, first);  // last, so that who looks at it has seldom to look again for the others
    }
    tail_ += n;
    return true;
  }
  std::uint64_t tail() const { return tail_; }
  /// For `n` words now.
  bool has_room(std::uint32_t n) {
    const std::uint64_t capacity = std::uint64_t{1} << shift_;
    if (tail_ + n <= seen_ + capacity) return true;
    seen_ = loop::load<loop::order::acquire, loop::scope::system>(&head_->value);
    return tail_ + n <= seen_ + capacity;
  }

 private:
  std::uint64_t mask() const { return (std::uint64_t{1} << shift_) - 1; }
  /// The next n words lie on both sides of the ring's end, where the lap changes.
  bool goes_round(std::uint32_t n) const { return (tail_ & mask()) + n > mask() + 1; }

  /// As word by word, for a message of N words that stays in one lap. @tparam N  at least 3: all of word 1 is there
  template <std::uint32_t N>
  void put_words(loop::word first, std::uint64_t clock, const void* payload, std::uint32_t bytes) {
    static_assert(N >= 3);
    const auto* from = static_cast<const char*>(payload);
    loop::word* at = &words_[tail_ & mask()];
    // all are of the lap of the first; copies, since the compiler takes it that stores may change the members
    const auto put_at = [at, here = tail_, shift = shift_](std::uint32_t k, loop::word w) {
      loop::store<loop::order::relaxed, loop::scope::system>(at + k,
                                                             abi::tagged(w, here, shift, k == 0));
    };
    put_at(N - 1, abi::word_of_bytes(payload, bytes, N - 1, clock));
    for (std::uint32_t k = N - 2; k > 1; --k) {  // these are full
      loop::word w;
      std::memcpy(&w, from + abi::piece_of(k, bytes).from, sizeof(w));
      put_at(k, w);
    }
    std::uint64_t low;
    std::memcpy(&low, from, sizeof(low));
    put_at(1, {clock | low << 56U, low >> 8U});
    put_at(0, first);
  }
  void put(std::uint32_t k, loop::word w) {
    const std::uint64_t pos = tail_ + k;
    loop::store<loop::order::relaxed, loop::scope::system>(&words_[pos & mask()],
                                                           abi::tagged(w, pos, shift_, k == 0));
  }

  loop::word* words_;
  const loop::line_counter* head_;
  std::uint32_t shift_;
  std::uint64_t tail_ = 0;
  std::uint64_t seen_ = 0;
};

}  // namespace perdure::runtime
