// runtime/bridge/lane_writer.hpp - host end of one host lane: puts messages where a worker looks.
// Why: the host never reads or changes a word that the device writes, except the device's progress.
// Invariant: one thread writes at a time (the caller's lock); tail - head <= capacity.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/abi/payload.cuh"
#include "kernels/dispatch/memory.cuh"
#include "runtime/bridge/lane_ways.hpp"

namespace perdure::runtime {

/// What messages to one handler have in common, worked out once for a row of them.
struct message_form {
  message_form(std::uint32_t handler, std::uint32_t payload_bytes)
      : bytes{payload_bytes},
        words{abi::words_for(payload_bytes)},
        envelope{abi::envelope_lo(0, 0, handler, words)} {}
  loop::word first(std::uint64_t to, std::uint64_t sender) const {
    constexpr std::uint64_t index_and_generation = (std::uint64_t{1} << 48U) - 1;
    return {envelope | (to & index_and_generation), sender & abi::data_mask};
  }
  std::uint32_t bytes, words;
  std::uint64_t envelope;
};

/// Calls f(N) with an integral constant: the number of words if there is code of its own for it, else 0.
template <class F>
constexpr decltype(auto) with_words(std::uint32_t words, F f) {
  switch (words) {
    case 3:
      return f(std::integral_constant<std::uint32_t, 3>{});
    case 4:
      return f(std::integral_constant<std::uint32_t, 4>{});
    case 5:
      return f(std::integral_constant<std::uint32_t, 5>{});
    case 6:
      return f(std::integral_constant<std::uint32_t, 6>{});
    default:
      return f(std::integral_constant<std::uint32_t, 0>{});
  }
}

class lane_writer {
 public:
  lane_writer(loop::word* words, const loop::line_counter* head, std::uint32_t shift)
      : words_{words},
        head_{head},
        shift_{shift},
        mask_{(std::uint64_t{1} << shift) - 1},
        limit_{mask_ + 1} {}
  /// Has a ring of the worker's from its first message on.
  lane_writer(lane_ways& ways, std::uint32_t worker)
      : ways_{&ways},
        worker_{worker},
        shift_{ways.shift()},
        mask_{(std::uint64_t{1} << shift_) - 1} {}

  /// Puts one message if there is room for it.
  /// @tparam N  from with_words(): what a host thread does for every message of a stream is loads, shifts and stores then.
  /// @memory  the words are relaxed stores that each carry the lap; the head is read with acquire, so a word is
  ///          overwritten only after the worker has told the head, behind its reads (store_behind_reads()).
  template <std::uint32_t N>
  bool try_push(const message_form& form, std::uint64_t to, std::uint64_t sender,
                std::uint64_t stamp, const void* payload) {
    const std::uint32_t n = N == 0 ? form.words : N;
    if (!has_room(n)) return false;
    const loop::word first = form.first(to, sender);
    const std::uint64_t clock = abi::stamp_to_wire(stamp);
    if (n >= 3 && !goes_round(n)) {
      put_words(n, first, clock, payload, form.bytes);
      tail_ += n;
      return true;
    }
    for (std::uint32_t k = n - 1; k > 0; --k)
      put(k, abi::word_of_bytes(payload, form.bytes, k, clock));
    put(0, first);  // last, so that who looks at it has seldom to look again for the others
    tail_ += n;
    return true;
  }
  bool try_push(std::uint64_t to, std::uint32_t handler, std::uint64_t sender, std::uint64_t stamp,
                const void* payload, std::uint32_t bytes) {
    const message_form form{handler, bytes};
    return with_words(form.words,
                      [&](auto n) { return try_push<n>(form, to, sender, stamp, payload); });
  }
  std::uint64_t tail() const { return tail_; }
  /// Where the next message begins, if it has a ring.
  const void* next_place() const { return words_ == nullptr ? nullptr : &words_[tail_ & mask_]; }
  /// For `n` words now.
  bool has_room(std::uint32_t n) {
    if (tail_ + n <= limit_) return true;
    if (words_ == nullptr) {
      const lane_ways::way mine = ways_->give(worker_);
      words_ = mine.words;
      head_ = mine.head;
    }
    limit_ = loop::load<loop::order::acquire, loop::scope::system>(&head_->value) + mask_ + 1;
    return tail_ + n <= limit_;
  }

 private:
  /// The next n words lie on both sides of the ring's end, where the lap changes.
  bool goes_round(std::uint32_t n) const { return (tail_ & mask_) + n > mask_ + 1; }

  /// As word by word, for a message of `n` words, a constant where there is code of its own for it, that stays in one lap.
  /// @param n  at least 3: all of word 1 is there
  [[gnu::always_inline]] void put_words(std::uint32_t n, loop::word first, std::uint64_t clock,
                                        const void* payload, std::uint32_t bytes) {
    const auto* from = static_cast<const char*>(payload);
    loop::word* at = &words_[tail_ & mask_];
    // all are of the lap of the first; copies, since the compiler takes it that stores may change the members
    const auto put_at = [at, here = tail_, shift = shift_](std::uint32_t k, loop::word w) {
      loop::store<loop::order::relaxed, loop::scope::system>(at + k,
                                                             abi::tagged(w, here, shift, k == 0));
    };
    put_at(n - 1, abi::word_of_bytes(payload, bytes, n - 1, clock));
    for (std::uint32_t k = n - 2; k > 1; --k) {  // these are full
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
    loop::store<loop::order::relaxed, loop::scope::system>(&words_[pos & mask_],
                                                           abi::tagged(w, pos, shift_, k == 0));
  }

  lane_ways* ways_ = nullptr;
  std::uint32_t worker_ = 0;
  loop::word* words_ = nullptr;
  const loop::line_counter* head_ = nullptr;
  std::uint32_t shift_;
  std::uint64_t mask_;
  std::uint64_t tail_ = 0;
  std::uint64_t limit_ = 0;  ///< the head, as last seen, and the capacity behind it; 0: no ring yet
};

}  // namespace perdure::runtime
