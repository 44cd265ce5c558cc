// kernels/wide/whole.cuh - links of workers that are one thread each: a message lies whole in its slot, filled and read there.
// Why: a thread copies words one after another; what many lanes do at once it would do four times for every message.
// Invariant: only the last word of a slot has a number, written last with release; a message is taken when its handler has
//            ended, so its slot is the handler's until then.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/memory.cuh"
#include "kernels/platform/atomics.cuh"

namespace perdure::loop {

/// Message `number` (from 1) of a link.
inline char* whole_message(const abi::link_end& end, u64 number) {
  return reinterpret_cast<char*>(end.words + place_in_link(end, 0, number));
}
/// Its last word: the end of a message of one piece, the stamp, the number.
inline word* whole_last(const abi::link_end& end, u64 number) {
  return end.words + place_in_link(end, end.words_a_message - 1, number);
}

/// Whether the next message is there. @memory  acquire: partner publish_whole().
inline bool is_whole(const abi::link_end& in) {
  const u64 tagged = load<order::acquire, scope::device>(&whole_last(in, in.count + 1)->hi);
  return static_cast<u32>(tagged >> 32U) == static_cast<u32>(in.count + 1);
}
/// The hybrid time of the next message, which is there.
inline u64 stamp_of_whole(const abi::link_end& in) {
  const word* last = whole_last(in, in.count + 1);
  const u64 low = load<order::relaxed, scope::device>(&last->lo) >> 32U;
  return low | load<order::relaxed, scope::device>(&last->hi) << 32U;
}
/// Sends the next message, which was filled. @memory  release: partner is_whole().
inline void publish_whole(const abi::link_end& out, u64 stamp) {
  word* last = whole_last(out, out.count + 1);
  u32 piece = 0;  // of the message, if it has no more than this one
  __builtin_memcpy(&piece, last, sizeof(piece));
  const word w = abi::link_word(piece, static_cast<u32>(stamp), static_cast<u32>(stamp >> 32U),
                                static_cast<u32>(out.count) + 1);
  store<order::relaxed, scope::device>(&last->lo, w.lo);
  store<order::release, scope::device>(&last->hi, w.hi);
}

/// Counts the messages of a firing that has ended as taken. @memory  release: partner room_for_whole().
inline void take_whole(abi::link_end& in) {
  if (in.slots == 0) return;
  ++in.count;
  store<order::release, scope::device>(in.taken, in.count);
}
/// Whether there is room for one more. @memory  acquire: partner take_whole().
inline bool room_for_whole(abi::link_end& out) {
  if (out.slots == 0 || out.count - out.seen < out.slots) return true;
  out.seen = load<order::acquire, scope::device>(out.taken);
  return out.count - out.seen < out.slots;
}

/// Whether every linked in-port has its next message and every linked out-port has room.
inline bool are_whole(on_chip& c, const memory& m, u32 ports) {
  for (u32 p = 0; p < ports; ++p) {
    const abi::link_end& in = c[m.ends][p];
    if (in.slots != 0 && !is_whole(in)) return false;
  }
  for (u32 p = 0; p < ports; ++p) {
    if (!room_for_whole(c[m.ends][abi::max_ports + p])) return false;
  }
  return true;
}

}  // namespace perdure::loop
