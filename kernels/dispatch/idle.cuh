// kernels/dispatch/idle.cuh - the step "idle" of a thread block: one warp polls, the others wait at the barrier.
// Why: a block that polls with all its threads burns power and bandwidth that its neighbours need; and the warp reads
//      32 words at once, so that a lone message is on chip when it is found.
// Invariant: returns when something has landed, and at the latest when a whole turn is due.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/worker.cuh"
#include "kernels/platform/block_device.cuh"

namespace perdure::loop {

/// Of a host lane the warp reads so many words: few, since all workers poll theirs over one bus, but more than the
/// usual message has, so that it sees whether another one stands behind it.
inline constexpr u32 lane_poll_words = 6;

/// Finds the messages that are wholly in what the warp has read, one word a lane, and lands them.
inline arrival land_words(on_chip& c, const memory& m, batch_source source, u32 lane, word w,
                          u32 ready) {
  const u32 run = __ffs(static_cast<int>(~ready)) - 1;  // past 32: all are ready
  const u32 words = abi::words_of(w);
  const u32 starts = __ballot_sync(
      ~0U, abi::is_first(w) && words != 0 && lane < run && lane + words <= (run < 32 ? run : 32));
  arrival out;
  if (starts == 0) return out;
  c[m.in][lane] = w;
  if ((starts >> lane & 1U) != 0) c[m.start][__popc(starts & ((1U << lane) - 1))] = lane;
  const u32 last = 31 - __clz(static_cast<int>(starts));
  out.source = source;
  out.taken = batch{static_cast<u32>(__popc(starts)), last + __shfl_sync(~0U, words, last)};
  out.crowded = ready == ~0U;
  __syncwarp();
  return out;
}

/// Polls the ring and one host lane after another. The first warp's; the others go on to the barrier at once.
/// @return what has come, landed; `nowhere` if a whole turn is due.
template <class Block, class Clock>
arrival wait_for_work(Block& b, on_chip& c, const memory& m, Clock& steady_ns) {
  arrival found;
  b.region([&](u32 lane) {
    if (lane >= 32) return;
    __syncwarp();  // what lane 0 wrote at the end of the turn
    const word_source ring = own_ring(c, m);
    const u32 used = c.lanes_used;
    const u64 head = c.ring_head;
    const u64 until = c.control_at < c.timer_due ? c.control_at : c.timer_due;
    // now and then a whole turn, so that a busy ring does not keep the lanes waiting
    constexpr u32 most_arrivals = 64;
    const bool free = may_arrive(c) && c.timer_due > c.now_ns && c.arrivals < most_arrivals;
    u32 which = c.next_lane < used ? c.next_lane : 0;
    __syncwarp();  // all have read before lane 0 writes
#if PERDURE_WIDE
    const abi::linked_actor* linked = m.linked + static_cast<u64>(c.worker) * m.linked_most;
#endif
    while (free) {
      // all loads are under way before the first is looked at
      word theirs{0, 0};
      u64 pressure = 0;
      const u64 lane_head = c.lane_head[which];
      if (used != 0) {
        const word_source source = own_lane(c, m, which);
        if (lane < lane_poll_words) {
          theirs = load<order::relaxed, scope::system>(
              &source.words[(lane_head + lane) & ((u64{1} << source.shift) - 1)]);
        }
        pressure = load<order::relaxed, scope::device>(m.pressure);
      }
      const word mine = load<order::relaxed, scope::device>(
          &ring.words[(head + lane) & ((u64{1} << m.ring_shift) - 1)]);
      const u32 here = __ballot_sync(~0U, ring.ready(mine, head + lane));
      batch_source source{batch_source::ring, 0};
      word come = mine;
      u32 ready = here;
      if ((here & 1U) == 0) {  // what the bus brings is waited for only then
        source = {batch_source::lane, which};
        come = theirs;
        ready = __ballot_sync(~0U, lane < lane_poll_words && used != 0 && pressure == 0 &&
                                       abi::is_ready(theirs, lane_head + lane, m.lane_shift));
      }
      if ((ready & 1U) != 0) {
        found = land_words(c, m, source, lane, come, ready);
        if (source.from == batch_source::lane) {
          // a message longer than what was read is for a whole turn, as are many in a row
          found.crowded = ready == (1U << lane_poll_words) - 1;
          if (lane == 0 && (found.crowded || found.taken.messages == 0)) c.lane_ready = which + 1;
          break;
        }
        if (found.taken.messages != 0) break;  // else one is on its way: soon its end is there, too
      }
      which = which + 1 < used ? which + 1 : 0;
#if PERDURE_WIDE
      bool came = false;  // a whole turn fires
      for (u32 i = lane; i < c.linked; i += 32) came |= came_for(c, linked[i]);
      if (__any_sync(~0U, came) != 0) break;
#endif
      if (__shfl_sync(~0U, static_cast<int>(steady_ns() >= until), 0) != 0) break;
    }
    __syncwarp();
    if (lane == 0) {
      c.next_lane = found.source.from == batch_source::lane ? which + 1 : which;
      c.arrivals = found.source.from == batch_source::ring ? c.arrivals + 1 : 0;
    }
  });
  return found;
}

/// What the first warp has found, to the whole block.
template <class Block>
arrival tell_all(Block& b, const arrival& found) {
  const u32 all = b.broadcast([&] {
    return static_cast<u32>(found.source.from) | found.source.lane_number << 2U |
           found.taken.messages << 8U | found.taken.words << 16U | (found.crowded ? 1U << 24U : 0);
  });
  arrival out;
  out.source = {static_cast<batch_source::place>(all & 3U), all >> 2U & 63U};
  out.taken = batch{all >> 8U & 255U, all >> 16U & 255U};
  out.crowded = (all >> 24U & 1U) != 0;
  return out;
}

}  // namespace perdure::loop
