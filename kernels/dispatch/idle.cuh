// kernels/dispatch/idle.cuh - the step "idle" of a thread block: one lane polls, the others wait at the barrier.
// Why: a block that polls with all its threads burns power and bandwidth that its neighbours need.
// Invariant: returns when there is something to look at, and at the latest when the next look at the command is due.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/worker.cuh"

namespace perdure::loop {

template <class Block, class Clock>
void wait_for_work(Block& b, on_chip& c, const memory& m, Clock& steady_ns) {
  b.once([&] {
    const ring_reader ring = own_ring(c, m);
    const u32 own = own_lanes(c, m);
    for (;;) {
      // both loads are under way before either is looked at
      word mine;
      word theirs;
      const u32 which = own == 0 ? 0 : c.next_lane;
      const host_lane& source = m.host_lanes[own == 0 ? 0 : c.worker + which * m.workers];
      if (own != 0) {
        theirs = load<order::relaxed, scope::system>(
            &source.words[c.lane_head[which] & ((u64{1} << source.shift) - 1)]);
      }
      if (ring(c.ring_head, mine)) return;
      if (own != 0) {
        if (abi::is_ready(theirs, c.lane_head[which], source.shift)) return;
        c.next_lane = (which + 1) % own;
      }
      const u64 now = steady_ns();
      if (now >= c.control_at || now >= c.timer_due || c.pending != 0) return;
    }
  });
}

}  // namespace perdure::loop
