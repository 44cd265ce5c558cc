// kernels/abi/envelope.cuh - what stands in front of every payload: 22 bytes in the first two words.
// Why: 38 of 64 bytes stay for the user; clock, sender and asker ride along.
// Invariant: word 0 = receiver index 32 | generation 16 | handler 11 | words 5 | sender 56 | tag 8;
//            to the host: ask or mailbox 32 | message 16 | kind 3 | parts 8 (parts_for()) | words 5 | sender 56 | tag 8;
//            word 1 = clock 56 | payload bytes 0..7 | tag 8; word k = payload from byte 15k - 22.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/word.cuh"

namespace perdure::abi {

inline constexpr u32 max_handlers = 2048;

/// Messages to a host carry one of these in place of a handler; the receiver index is the ask or mailbox.
enum class host_kind : u32 { reply, mailbox, log, dead_letter, stopped, receiver_down };
inline constexpr u32 host_kind_bits = 3;

constexpr u64 envelope_lo(u32 index, u32 generation, u32 handler, u32 words) {
  return static_cast<u64>(index) | static_cast<u64>(generation & 0xffffU) << 32U |
         static_cast<u64>((handler & 2047U) | words << 11U) << 48U;
}
constexpr u32 receiver_index(word w) { return static_cast<u32>(w.lo); }
constexpr u32 receiver_generation(word w) { return static_cast<u32>(w.lo >> 32U) & 0xffffU; }
constexpr u32 handler_of(word w) { return static_cast<u32>(w.lo >> 48U) & 2047U; }
constexpr u32 words_of(word w) { return static_cast<u32>(w.lo >> 59U); }
/// In place of a handler, in a message to a host: its kind, and the parts of a long one (parts_for()).
constexpr u32 host_handler(host_kind kind, u32 parts = 0) {
  return static_cast<u32>(kind) | parts << host_kind_bits;
}
constexpr host_kind host_kind_of(word w) {
  return static_cast<host_kind>(handler_of(w) & ((1U << host_kind_bits) - 1));
}
/// Of a message to a host, those that it takes in the ring to there.
constexpr u32 words_to_host(word w) {
  const u32 parts = handler_of(w) >> host_kind_bits;
  return parts == 0 ? words_of(w) : parts * max_words;
}
constexpr bool is_long_to_host(word w) { return handler_of(w) >> host_kind_bits != 0; }
/// A message of the program to a host, as a call sends it: its id and its parts.
constexpr u32 letter_of(u32 message, u32 payload) { return message | parts_for(payload) << 16U; }
/// Sender's index, generation and type; the system is the reader's own.
constexpr u64 sender_of(word w) { return w.hi & data_mask; }

/// In the sender field of a host's request: not an actor but the ask to answer.
constexpr u64 ask_sender(u32 ask) { return make_ref(ask, 0, ask_type, 0); }

/// 40 bits of microseconds and 16 logical travel; the receiver adds the rest from its own clock.
constexpr u64 stamp_to_wire(u64 stamp) { return stamp & data_mask; }
/// The stamp nearest to `local` that has these 56 bits (they repeat every 12.7 days).
constexpr u64 stamp_from_wire(u64 wire, u64 local) {
  const u64 near = (local & ~data_mask) | (wire & data_mask);
  const u64 half = 1ULL << 55U;
  if (near > local + half && near >= (half << 1U)) return near - (half << 1U);
  if (near + half < local) return near + (half << 1U);
  return near;
}
constexpr u64 wire_stamp(word second) { return second.lo & data_mask; }

}  // namespace perdure::abi
