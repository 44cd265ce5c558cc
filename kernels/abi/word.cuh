// kernels/abi/word.cuh - the 16-byte tagged word that rings are made of, and a message's place in words.
// Why: a word that carries its own lap is wholly new or wholly old, so data and readiness come in one trip.
// Invariant: byte 15 is the tag: bit 7 marks a message's first word, bits 0..6 are the ring's lap (docs/adr/001).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/ref_bits.cuh"

namespace perdure::abi {

/// Always read and written by one 128-bit access; little-endian, `hi`'s top byte is the tag.
struct alignas(16) word {
  u64 lo, hi;
};
static_assert(sizeof(word) == 16);

inline constexpr u32 word_bytes = 15;       ///< of a word's 16 bytes, those that carry data
inline constexpr u32 header_bytes = 22;     ///< envelope without laps: 15 in word 0, 7 in word 1
inline constexpr u32 inline_payload = 240;  ///< larger payloads lie in a buffer
inline constexpr u32 max_payload = 65536;
inline constexpr u64 data_mask = 0x00ff'ffff'ffff'ffffULL;  ///< of `hi`: all but the tag

/// Words of a message with `payload` bytes; one over inline_payload travels as a handle of 8 bytes.
constexpr u32 words_for(u32 payload) {
  const u32 carried = payload > inline_payload ? 8 : payload;
  const u32 n = (header_bytes + carried + word_bytes - 1) / word_bytes;
  return n < 2 ? 2 : n;
}
inline constexpr u32 max_words = words_for(inline_payload);
static_assert(words_for(38) == 4 && words_for(8) == 2 && max_words == 18);
/// To the host a payload over inline_payload goes whole: its message stands in the ring to the host as so many times max_words
/// words, and in the outbox as any other, with its handle. 0: a short one.
constexpr u32 parts_for(u32 payload) {
  constexpr u32 part = word_bytes * max_words;
  return payload <= inline_payload ? 0 : (header_bytes + payload + part - 1) / part;
}
static_assert(parts_for(inline_payload) == 0 && parts_for(max_payload) < 256);

/// Where ring `number` of the host's memory begins, in words. Shifts: a product of 64 bits takes registers that a loop with wide actors has not.
constexpr u64 ring_start(u64 number, u32 shift) {
  return (number << shift) + number * (64 / sizeof(word));
}
/// Words from the beginning of one ring in the host's memory to the next one's: a line of the host's caches more than a ring
/// has. All rings' ends move on alike, and where rings begin a power of two apart all ends fall into a few sets of a cache,
/// which have fewer ways than there are rings.
constexpr u64 ring_pitch(u32 shift) { return ring_start(1, shift); }
static_assert(ring_start(3, 7) == 3 * ring_pitch(7));

/// The tag of position `pos` in a ring of 2^shift words.
constexpr u64 tag_of(u64 pos, u32 shift, bool first) {
  return (((pos >> shift) + 1) & 127U) | (first ? 128U : 0U);
}
constexpr word tagged(word w, u64 pos, u32 shift, bool first) {
  return word{w.lo, (w.hi & data_mask) | tag_of(pos, shift, first) << 56U};
}
/// Whether `w`, read at `pos`, was written in this lap.
constexpr bool is_ready(word w, u64 pos, u32 shift) {
#ifdef PERDURE_BREAK_LAP  // deliberate break: tests must notice
  (void)pos;
  (void)shift;
  return (w.hi >> 56U) != 0;
#else
  return ((w.hi >> 56U) & 127U) == (tag_of(pos, shift, false) & 127U);
#endif
}
constexpr bool is_first(word w) { return (w.hi >> 63U) != 0; }

}  // namespace perdure::abi
