// kernels/wide/whole.cuh - links whose messages lie whole in their slots, filled and read there: of workers that are one thread
//                          each, and of a GPU's where no wide actor's state fits on the chip (docs/adr/054).
// Why: a thread copies words one after another; what many lanes do at once it would do four times for every message. And who
//      reads its state from memory reads its messages there as well: nothing lands, and the chip is left to the cache.
// Invariant: only the last word of a slot has a number, written last with release; a message is taken when its handler has
//            ended, so its slot is the handler's until then.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/on_chip.cuh"
#include "kernels/wide/port_lanes.cuh"

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
/// Sends the next message, which was filled. Behind release_fence(). @memory  release: partner is_whole().
inline void publish_whole(const abi::link_end& out, u64 stamp) {
  word* last = whole_last(out, out.count + 1);
  u32 piece = 0;  // of the message, if it has no more than this one
  __builtin_memcpy(&piece, last, sizeof(piece));
  const word w = abi::link_word(piece, static_cast<u32>(stamp), static_cast<u32>(stamp >> 32U),
                                static_cast<u32>(out.count) + 1);
  store_behind_fence(last, w);
}

/// Counts the messages of a firing that has ended as taken. Behind release_fence(). @memory  release: partner
/// room_for_whole().
inline void take_whole(abi::link_end& in) {
  if (in.slots == 0) return;
  ++in.count;
  store_behind_fence(in.taken, in.count);
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

/// Of a block of several lanes, what all of them are to know of the messages that are there; it stands where others land.
struct whole_messages {
  const void* at[abi::max_ports];  ///< null: nothing is linked there
  u64 stamp[abi::max_ports];
};
inline whole_messages& whole_in_hand(on_chip& c, const memory& m) {
  return *reinterpret_cast<whole_messages*>(c[m.in]);
}
/// The same, asked by several lanes, each for its ports, up to `tries` times; all see it behind the barrier at the end.
/// @memory  each port's lane acquires for the block: partners publish_whole(), take_whole().
template <class Block>
bool misses_whole(Block& b, on_chip& c, const memory& m, u32 tries) {
  whole_messages& all = whole_in_hand(c, m);
  const bool misses = b.any([&](u32 lane) {
    for (u32 p = port_of(b, lane); p < abi::max_ports; p += b.lanes()) {
      const abi::link_end& in = c[m.ends][p];
      abi::link_end& out = c[m.ends][abi::max_ports + p];
      const bool waits = in.slots != 0;
      const bool full = out.slots != 0 && out.count - out.seen >= out.slots;
      const word* at = waits ? whole_last(in, in.count + 1) : nullptr;
      word last{0, 0};
      u64 taken = out.seen;
      for (u32 t = 1;; ++t) {  // both are on their way at once
        if (waits) last = load<order::relaxed, scope::device>(at);
        if (full) taken = load<order::relaxed, scope::device>(out.taken);
        const bool there = !waits || abi::number_of(last) == static_cast<u32>(in.count + 1);
        if (there && (!full || out.count - taken < out.slots)) break;
        if (t >= tries) return true;
      }
      if (full) acquire_seen(out.taken);
      if (waits) acquire_seen(&at->hi);
      out.seen = taken;
      all.at[p] = waits ? whole_message(in, in.count + 1) : nullptr;
#if defined(__CUDACC_RTC__)
      all.stamp[p] = last.lo >> 32U | last.hi << 32U;  // a word is whole there
#else
      all.stamp[p] = waits ? stamp_of_whole(in) : 0;
#endif
    }
    return false;
  });
  if constexpr (Block::lane_a_port)
    b.meet_side_by_side();  // a vote of a block of one warp orders no memory
  return misses;
}

}  // namespace perdure::loop
