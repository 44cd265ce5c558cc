// kernels/abi/payload.cuh - between a message's bytes and its tagged words.
// Why: 15 data bytes a word leave no alignment; with sizes known at compile time it is shifts in registers.
// Invariant: unpack(pack(m)) == m for every size; padding of the last word is zero.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/envelope.cuh"

namespace perdure::abi {

/// Bytes [at, at + 8) of `raw`, `at` possibly negative or past the end: those bytes are zero.
template <u32 Count>
constexpr u64 bytes_at(const u32 (&raw)[Count], int at) {
  u64 out = 0;
  for (int i = 0; i < 3; ++i) {  // at most three 32-bit pieces touch eight bytes
    const int piece = (at >= 0 ? at / 4 : -((3 - at) / 4)) + i;
    const int shift = (piece * 4 - at) * 8;
    if (piece < 0 || piece >= static_cast<int>(Count) || shift >= 64) continue;
    const u64 value = raw[piece];
    out |= shift >= 0 ? value << static_cast<u32>(shift) : value >> static_cast<u32>(-shift);
  }
  return out;
}

/// Data of word `k` (>= 1) for a payload held in 32-bit pieces, tag left zero.
template <u32 Count>
constexpr word payload_word(const u32 (&raw)[Count], int k, u64 wire_clock) {
  if (k == 1) return word{wire_clock | bytes_at(raw, 0) << 56U, bytes_at(raw, 1) & data_mask};
  const int from = 15 * k - static_cast<int>(header_bytes);
  return word{bytes_at(raw, from), bytes_at(raw, from + 8) & data_mask};
}

/// Bytes [4i, 4i + 4) of the payload of a message of `words` words, read by `at(k)`.
template <class At>
constexpr u32 payload_piece(At at, int i, int words) {
  const int from = static_cast<int>(header_bytes) + 4 * i;  // in the stream of data bytes
  const int k = from / 15;
  const int b = from % 15;
  const word w = at(k);
  const u64 hi = w.hi & data_mask;
  u64 out = b < 8 ? w.lo >> static_cast<u32>(8 * b) : hi >> static_cast<u32>(8 * (b - 8));
  if (b > 4 && b < 8) out |= hi << static_cast<u32>(64 - 8 * b);
  if (b > 11 && k + 1 < words) out |= at(k + 1).lo << static_cast<u32>(8 * (15 - b));
  return static_cast<u32>(out);
}

/// As payload_word() of a payload that is not in registers: `at(i)` reads its i-th 32-bit piece.
template <class At>
constexpr word word_of_pieces(At at, u32 k, u64 wire_clock) {
  if (k == 1) {
    const u64 eight = at(0U) | static_cast<u64>(at(1U)) << 32U;
    return word{wire_clock | eight << 56U, eight >> 8U};
  }
  const u32 from = word_bytes * k - header_bytes;
  const u32 first = from / 4, shift = from % 4 * 8;
  const u64 a = at(first) | static_cast<u64>(at(first + 1)) << 32U;
  const u64 b = at(first + 2) | static_cast<u64>(at(first + 3)) << 32U;
  if (shift == 0) return word{a, b & data_mask};
  const u64 c = at(first + 4);
  return word{a >> shift | b << (64 - shift), (b >> shift | c << (64 - shift)) & data_mask};
}

/// Bytes of the payload that word `k` (>= 1) carries, and where they begin in the payload and in the word.
struct piece {
  u32 from, bytes, at;
};
constexpr piece piece_of(u32 k, u32 payload) {
  const u32 from = k == 1 ? 0 : 15 * k - header_bytes;
  const u32 room = k == 1 ? 8 : 15;
  return piece{from, payload - from < room ? payload - from : room, k == 1 ? 7U : 0U};
}

#if !defined(__CUDACC_RTC__)
/// As payload_word for a payload in memory, its size known at run time: the host's way, tag left zero. Mostly one or
/// two loads of a fixed size; it is what a host thread does for every message. An empty payload may be null.
inline word word_of_bytes(const void* payload, u32 bytes, u32 k, u64 wire_clock) {
  const auto* from = static_cast<const char*>(payload);
  word w{k == 1 ? wire_clock : 0, 0};
  const piece p = piece_of(k, bytes);
  if (k == 1 && bytes >= 8) {
    u64 first;
    __builtin_memcpy(&first, from, sizeof(first));
    return word{wire_clock | first << 56U, first >> 8U};
  }
  if (k > 1 &&
      bytes >=
          sizeof(word)) {  // 16 bytes that end with the payload, moved down to where they belong
    const u32 end = p.from + sizeof(word);
    const u32 past = end > bytes ? end - bytes : 0;
    __extension__ unsigned __int128 all;
    __builtin_memcpy(&all, from + p.from - past, sizeof(all));
    all >>= 8 * past;
    return word{static_cast<u64>(all), static_cast<u64>(all >> 64U) & data_mask};
  }
  if (p.bytes != 0)  // memcpy forbids null even for nothing
    __builtin_memcpy(reinterpret_cast<char*>(&w) + p.at, from + p.from, p.bytes);
  return w;
}
/// All words behind the first, which is the caller's.
inline void pack_bytes(word* at, const void* payload, u32 bytes, u64 wire_clock, u32 words) {
  for (u32 k = 1; k < words; ++k) at[k] = word_of_bytes(payload, bytes, k, wire_clock);
}
/// The reverse: copies `bytes` of payload out of `words` words. The tags are passed over; null as above.
inline void unpack_bytes(void* payload, const word* at, u32 bytes, u32 words) {
  for (u32 k = 1; k < words; ++k) {
    const piece p = piece_of(k, bytes);
    if (p.bytes == 0) continue;
    __builtin_memcpy(static_cast<char*>(payload) + p.from,
                     reinterpret_cast<const char*>(&at[k]) + p.at, p.bytes);
  }
}
/// As unpack_bytes(), by whole words: stores of a fixed size, each over the tag that the one before has left. Behind the
/// payload's end the bytes say nothing. @param payload  with room for unpacked_room(words) bytes.
constexpr u32 unpacked_room(u32 words) { return words * word_bytes; }
inline void unpack_words(void* payload, const word* at, u32 words) {
  if (words < 2) return;
  auto* to = static_cast<char*>(payload);
  const u64 first = at[1].lo >> 56U | at[1].hi << 8U;
  __builtin_memcpy(to, &first, sizeof(first));
  to += 8;
  for (u32 k = 2; k < words; ++k, to += 15) __builtin_memcpy(to, &at[k], sizeof(word));
}
#endif

}  // namespace perdure::abi
