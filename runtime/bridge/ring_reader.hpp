// runtime/bridge/ring_reader.hpp - host end of a worker's ring: replies, letters, events.
// Why: the worker writes words across the bus and never waits for the host's answer.
// Invariant: one thread reads at a time (the caller's lock); progress is published after the words
//            were read. ready() alone may be called by any thread: a hint whether taking the lock
//            is worth it. Words may be read again until publish() passes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/abi/payload.cuh"
#include "kernels/dispatch/memory.cuh"

namespace perdure::runtime {

/// A message from a worker, unpacked: index is the ask or mailbox, message an id of the program.
struct inbound_message {
  abi::host_kind kind;
  std::uint32_t index, message;
  std::uint64_t sender;                                    ///< 56 bits
  std::uint64_t wire_clock;                                ///< 56 bits
  alignas(16) unsigned char payload[abi::max_words * 16];  ///< of up to 240 bytes
  std::vector<unsigned char> long_payload{};               ///< of more

  const unsigned char* bytes() const {
    return long_payload.empty() ? payload : long_payload.data();
  }
};

/// A message that is wholly there, still in the ring.
struct inbound_sight {
  loop::word first;
  std::uint64_t at;          ///< position of its first word
  std::uint64_t wire_clock;  ///< 56 bits
  std::uint32_t words;

  abi::host_kind kind() const { return abi::host_kind_of(first); }
  std::uint32_t index() const { return abi::receiver_index(first); }
  std::uint32_t message() const { return abi::receiver_generation(first); }
};

class ring_reader {
 public:
  ring_reader(const loop::word* words, loop::line_counter* head, std::uint32_t shift)
      : words_{words}, head_{head}, shift_{shift} {}

  /// Whether the first word of another message is there.
  /// @memory  acquire: pairs with the release in pass(); who finds it passed finds the lock of who did that taken, or given back.
  bool ready() const {
    const std::uint64_t here = loop::load<loop::order::acquire, loop::scope::block>(&position_);
    return abi::is_ready(read(here), here, shift_);
  }
  /// Whether so many words are there: a hint.
  bool holds(std::uint64_t words) const {
    // relaxed: as in ready()
    const std::uint64_t at =
        loop::load<loop::order::relaxed, loop::scope::block>(&position_) + words - 1;
    return abi::is_ready(read(at), at, shift_);
  }
  /// The next message, if all of it is there; pass() then goes behind it.
  bool see(inbound_sight& out) const {
    const std::uint64_t here = position_;
    out.first = read(here);
    if (!abi::is_ready(out.first, here, shift_)) return false;
    out.at = here;
    out.words = abi::words_to_host(out.first);
    const loop::word second = read(here + 1);
    if (!abi::is_ready(second, here + 1, shift_)) return false;
    out.wire_clock = abi::wire_stamp(second);
    for (std::uint32_t k = 2; k < out.words; ++k) {
      if (!abi::is_ready(read(here + k), here + k, shift_)) return false;
    }
    return true;
  }
  void pass(const inbound_sight& s) {
    // release: pairs with ready()
    loop::store<loop::order::release, loop::scope::block>(&position_, s.at + s.words);
  }
  /// Bytes that unpack() writes: the payload, padded, and one byte of a tag.
  static constexpr std::uint32_t unpacked_bytes(std::uint32_t words) {
    return abi::word_bytes * words - abi::header_bytes + 1;
  }
  /// Words of a message with so many bytes in such a ring.
  static constexpr std::uint32_t words_of_payload(std::uint32_t bytes) {
    const std::uint32_t parts = abi::parts_for(bytes);
    return parts == 0 ? abi::words_for(bytes) : parts * abi::max_words;
  }
  /// Copies the payload of a message that was seen and not yet published, straight from the ring's
  /// words.
  void unpack(std::uint64_t at, std::uint32_t words, void* to) const {
    auto* out = static_cast<unsigned char*>(to);
    const loop::word second = read(at + 1);
    const std::uint64_t eight = second.lo >> 56U | second.hi << 8U;
    __builtin_memcpy(out, &eight, sizeof(eight));
    out += sizeof(eight);
    for (std::uint32_t k = 2; k < words; ++k, out += abi::word_bytes) {
      const loop::word w = read(at + k);  // whole words: the next one overwrites the tag
      __builtin_memcpy(out, &w, sizeof(w));
    }
  }
  void unpack(const inbound_sight& s, inbound_message& out) const {
    out.kind = s.kind();
    out.index = s.index();
    out.message = s.message();
    out.sender = abi::sender_of(s.first);
    out.wire_clock = s.wire_clock;
    out.long_payload.resize(s.words > abi::max_words ? unpacked_bytes(s.words) : 0);
    unpack(s.at, s.words, s.words > abi::max_words ? out.long_payload.data() : out.payload);
  }
  /// Unpacks the next message if all of it is there; consume() then passes it.
  bool peek(inbound_message& out) {
    if (!see(peeked_)) return false;
    unpack(peeked_, out);
    return true;
  }
  void consume() { pass(peeked_); }

  std::uint64_t position() const { return position_; }
  /// The same, for any thread.
  std::uint64_t passed() const {
    return loop::load<loop::order::relaxed, loop::scope::block>(&position_);
  }
  std::uint64_t capacity() const { return std::uint64_t{1} << shift_; }
  std::uint64_t published() const { return published_; }
  /// Lets the worker use the words before `position` again.
  /// @memory  release; pairs with the acquire in deliver.cuh's limit_of().
  void publish(std::uint64_t position) {
    published_ = position;
    loop::store<loop::order::release, loop::scope::system>(&head_->value, position);
  }
  void publish() { publish(position_); }

 private:
  loop::word read(std::uint64_t pos) const {
    return loop::load<loop::order::relaxed, loop::scope::system>(
        &words_[pos & ((std::uint64_t{1} << shift_) - 1)]);
  }

  const loop::word* words_;
  loop::line_counter* head_;
  std::uint32_t shift_;
  std::uint64_t position_ = 0;
  std::uint64_t published_ = 0;
  inbound_sight peeked_{};
};

}  // namespace perdure::runtime
