// kernels/dispatch/ahead.cuh - while lanes side by side handle a batch's long chain, a warp that has nothing more to do brings
//                              what the last busy host lane has for its next batch, and looks at the other lanes.
// Why: one warp is at work for most of such a batch. Behind it the block would wait for the bus twice, once for a look at a
//      lane that is hidden in a turn for the ring, and again for the words (docs/adr/068).
// Invariant: what is on chip are words that were in the lane, from ahead.from on. A turn takes them if the lane's head is there
//            and they fill half of it, and else they are read anew: they stay in the lane until they are passed. The ring, the
//            spill and another lane in which the warp has seen something come first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/looks.cuh"

namespace perdure::loop {

/// Whether a program's loop has any of this.
template <class Block>
inline constexpr bool lands_ahead = runs_are_built && Block::host_is_far;

inline word_source own_ahead(const on_chip& c, const memory& m) {
  return {word_source::chip, m.lane_shift, c[m.ahead], c.ahead.from + c.ahead.words};
}

/// Lane 0: a turn has taken this from a host lane; of a lane that is likely to have more, an idle warp may bring that.
inline void note_taken(on_chip& c, const memory& m, u32 lane, batch taken) {
  if (m.lands_ahead == 0) return;
  // the lane that a warp has found had its turn: the next look begins behind it
  if (c.ahead.others == lane + 2) store<order::relaxed, scope::block>(&c.next_lane, lane + 1);
  c.ahead.others = 0;
  if (c.ahead.lane == lane + 1 && taken.words != 0) c.ahead.lane = 0;
  if (taken.messages < busy_batch) return;
  c.ahead.from = c.lane_head[lane] + taken.words;
  c.ahead.lane = lane + 1;
  c.ahead.words = c.ahead.idle = 0;
}

/// What a turn for a host lane wants to know before the next one, of the ring and of who is pressed. Lane 0's.
struct ring_look {
  word seen{0, 0};
  u64 pressure = 0;
  bool under_way = false;
};
/// Lane 0, when what was taken from a host lane is handled.
inline void begin_look(const on_chip& c, const memory& m, ring_look& look) {
  if (next_ahead(c, m) == 0) return;
  look.seen = own_ring(c, m).one(c.ring_head);
  look.pressure = load<order::relaxed, scope::device>(m.pressure);
  look.under_way = c.spill_head == c.spill_tail;
}
/// Lane 0, at the end of that turn, when all that it sent is written: the next one is for a lane that an idle warp has seen
/// something in, or for the one that it has brought words of, and no turn for the ring comes between if the ring has nothing.
inline void note_look(on_chip& c, const memory& m, const ring_look& look) {
  if (!look.under_way || look.pressure != 0) return;
  const bool has_own = c.own_tail > c.ring_head;  // what this turn has sent was not there yet
  if (has_own || abi::is_ready(look.seen, c.ring_head, m.ring_shift)) return;
  c.lane_ready = next_ahead(c, m);
}

#if defined(__CUDACC_RTC__) || defined(PERDURE_WARPS_OF_THREADS)

/// All lanes of a warp: 2 + the first host lane from next_lane on that has something, but for the one that words are brought of;
/// 1 if there is none. Waits for the bus.
inline u32 look_at_others(const on_chip& c, const memory& m, u32 lane) {
  u32 found = 1;
  PERDURE_ROLLED
  for (u32 first = 0; agreed(first < c.lanes_used && found == 1); first += 32) {
    const u32 behind = first + lane;
    u32 which = c.next_lane + behind;
    which = which < c.lanes_used ? which : which - c.lanes_used;
    bool there = false;
    if (behind < c.lanes_used && which + 1 != c.ahead.lane) {
      const word_source source = own_lane(c, m, which);
      const u64 at = c.lane_head[which];
      there = source.ready(source.one(at), at);
    }
    const u32 have = __ballot_sync(~0U, there);
    if (have != 0) found = 2 + __shfl_sync(~0U, which, __ffs(static_cast<int>(have)) - 1);
  }
  return found;
}

/// So many cycles lie between two looks for words that are not there yet: who writes them must fetch their lines again.
inline constexpr u32 cycles_between_looks_ahead = 2000;

/// All lanes of a warp that has no places left to handle: the first one that comes here stays until the words are there, or all
/// others have come, too. @param warps  of the block.
PERDURE_OUT_OF_LINE inline void land_ahead(on_chip& chip, const memory& mem, u32 warps) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 lane = threadIdx.x & 31U;
  u32 before = 1;
  // behind an earlier batch they have all come, and no turn has taken much from a host lane since
  if (lane == 0 && c.ahead.lane != 0 && c.ahead.from >= c.lane_head[c.ahead.lane - 1] &&
      load<order::relaxed, scope::block>(&c.ahead.idle) < warps)
    before = fetch_add<scope::block>(&c.ahead.idle, 1U);
  if (__shfl_sync(~0U, before, 0) != 0) return;
  const auto are_done = [&] {
    const u32 idle = lane == 0 ? load<order::relaxed, scope::block>(&c.ahead.idle) : 0;
    return __shfl_sync(~0U, idle, 0) == warps;
  };
  word_source source = own_lane(c, m, c.ahead.lane - 1);
  source.end = ~u64{0};
  constexpr u32 part = 32 * words_a_lane;
  const u32 others = look_at_others(c, m, lane);
  u32 words = 0;
  PERDURE_ROLLED
  while (words + part <= m.in_words && !are_done()) {
    word w[words_a_lane];
    const u64 from = c.ahead.from + words;
    source.fetch(w, from, lane, 32, words_a_lane);
    bool there = true;
    for (u32 k = 0; k < words_a_lane; ++k) {
      there &= source.ready(w[k], from + k * 32 + lane);
      c[m.ahead][words + k * 32 + lane] = w[k];
    }
    if (__all_sync(~0U, there) != 0) {
      words += part;
      continue;
    }
    const auto begun = static_cast<u32>(clock64());
    PERDURE_ROLLED
    while (__any_sync(~0U, static_cast<u32>(clock64()) - begun >= cycles_between_looks_ahead) ==
               0 &&
           !are_done()) {
    }
  }
  if (lane != 0) return;
  c.ahead.words = words;
  c.ahead.others = others;
}

#endif

}  // namespace perdure::loop
