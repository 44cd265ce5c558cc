// kernels/dispatch/ahead.cuh - while lanes side by side handle a batch's long chain, a warp that has nothing more to do brings
//                              what a busy host lane has for the next batch.
// Why: one warp is at work for most of such a batch, and behind it the block would wait for the bus for a fifteenth of that.
// Invariant: what is on chip are words that were in the lane, from ahead.from on. A turn takes them if the lane's head is there
//            and they fill half of it, and else they are read anew: they stay in the lane until they are passed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/take.cuh"

namespace perdure::loop {

/// Whether enough of a host lane's words is here for its turn. The same for all lanes, behind a barrier.
inline bool has_ahead(const on_chip& c, const memory& m, u32 lane) {
  return m.lands_ahead != 0 && c.ahead.lane == lane + 1 && c.ahead.from == c.lane_head[lane] &&
         2 * c.ahead.words >= m.in_words;
}
inline word_source own_ahead(const on_chip& c, const memory& m) {
  return {word_source::chip, m.lane_shift, c[m.ahead], c.ahead.from + c.ahead.words};
}

#if defined(__CUDACC_RTC__) || defined(PERDURE_WARPS_OF_THREADS)

/// All lanes of a warp: 2 + the first host lane from next_lane on that has something and is not busy, so that its turn comes
/// beside theirs; 1 if there is none. Waits for the bus.
inline u32 look_at_others(const on_chip& c, const memory& m, u32 lane) {
  u32 found = 1;
  PERDURE_ROLLED
  for (u32 first = 0; agreed(first < c.lanes_used && found == 1); first += 32) {
    const u32 behind = first + lane;
    u32 which = c.next_lane + behind;
    which = which < c.lanes_used ? which : which - c.lanes_used;
    bool there = false;
    if (behind < c.lanes_used && which < c.lanes_used && (c.busy_lanes >> which & 1U) == 0) {
      const u64 ring = static_cast<u64>(which) * m.workers + c.worker, at = c.lane_head[which];
      const word* words = m.lane_words + abi::ring_start(ring, m.lane_shift);
      there = abi::is_ready(
          load<order::relaxed, scope::system>(&words[at & ((u64{1} << m.lane_shift) - 1)]), at,
          m.lane_shift);
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
PERDURE_OUT_OF_LINE void land_ahead(on_chip& chip, const memory& mem, u32 warps) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 lane = threadIdx.x & 31U;
  u32 before = 1;
  // they have all come behind an earlier batch if no lane was busy since
  if (lane == 0 && c.ahead.lane != 0 && load<order::relaxed, scope::block>(&c.ahead.idle) < warps)
    before = fetch_add<scope::block>(&c.ahead.idle, 1U);
  if (__shfl_sync(~0U, before, 0) != 0) return;
  const auto are_done = [&] {
    const u32 idle = lane == 0 ? load<order::relaxed, scope::block>(&c.ahead.idle) : 0;
    return __shfl_sync(~0U, idle, 0) == warps;
  };
  const u64 ring = static_cast<u64>(c.ahead.lane - 1) * m.workers + c.worker;
  const word_source source{word_source::host, m.lane_shift,
                           m.lane_words + abi::ring_start(ring, m.lane_shift), ~u64{0}};
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
