// kernels/dispatch/idle.cuh - the step "idle" of a thread block: one warp polls, the others wait at the barrier.
// Why: a block that polls with all its threads burns power and bandwidth that its neighbours need; and the warp reads
//      32 words at once, so that a lone message is on chip when it is found.
// Invariant: returns when there is something to look at, and at the latest when the next look at the command is due.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/worker.cuh"
#include "kernels/platform/block_device.cuh"

namespace perdure::loop {

/// Of a host lane the warp reads one line of 128 bytes: more would only delay the answer of the bus.
inline constexpr u32 lane_poll_words = 8;

template <class Clock>
void wait_for_work(block_device& b, on_chip& c, const memory& m, Clock& steady_ns) {
  b.region([&](u32 lane) {
    if (lane >= 32) return;
    const word_source ring = own_ring(c, m);
    const u32 own = own_lanes(c, m);
    const u64 head = c.ring_head;
    const u64 until = c.control_at < c.timer_due ? c.control_at : c.timer_due;
    const u32 first = c.next_lane;
    __syncwarp();  // all have read before lane 0 writes
    for (u32 which = first;; which = own == 0 ? 0 : (which + 1) % own) {
      // both loads are under way before either is looked at
      word theirs{0, 0};
      u32 shift = 0;
      const u64 lane_head = c.lane_head[which];
      if (own != 0 && lane < lane_poll_words) {
        const host_lane& source = m.host_lanes[c.worker + which * m.workers];
        shift = source.shift;
        theirs = load<order::relaxed, scope::system>(
            &source.words[(lane_head + lane) & ((u64{1} << shift) - 1)]);
      }
      const word mine = load<order::relaxed, scope::device>(
          &ring.words[(head + lane) & ((u64{1} << m.ring_shift) - 1)]);
      const bool here = __shfl_sync(~0U, static_cast<int>(ring.ready(mine, head + lane)), 0) != 0;
      if (here) {
        c.in[lane] = mine;
        if (lane == 0) {
          c.woken = ring_words;
          c.landed = 32;
        }
        return;
      }
      const bool there =
          own != 0 &&
          __shfl_sync(~0U, static_cast<int>(abi::is_ready(theirs, lane_head + lane, shift)), 0) !=
              0;
      if (there) {
        c.in[lane] = theirs;
        if (lane == 0) {
          c.woken = lane_words;
          c.landed = lane_poll_words;
          c.next_lane = which;
        }
        return;
      }
      if (__shfl_sync(~0U, static_cast<int>(steady_ns() >= until), 0) != 0) {
        if (lane == 0) c.next_lane = which;
        return;
      }
    }
  });
}

}  // namespace perdure::loop
