// kernels/wide/look_around.cuh - what a worker looks at between two firings of an actor that it stays with.
// Why: a look at the host's memory takes as long as some firings, and neighbours wait for whoever looks.
// Invariant: lane 0's; what it leaves in on_chip the others read behind the next barrier.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/looks.cuh"
#include "kernels/wide/call.cuh"

namespace perdure::loop {

/// Lane 0 looks around after so many firings: on a device a look takes as long as a short handler. And in any case after so
/// many of the block's cycles, some 2 ms: handlers may be long.
template <class Block>
inline constexpr u32 look_every = Block::may_wait ? 32 : 1;
inline constexpr u64 look_cycles = u64{1} << 22U;
/// Who visits several actors, one after another, looks around between two of them after so many cycles, some 60 us.
inline constexpr u64 visit_look_cycles = u64{1} << 17U;
inline constexpr u32 lanes_a_look = 8;  ///< host lanes looked at, unless one has something

inline constexpr u64 late_ns = 1'000'000;
/// How many firings apart a worker looks at the host's memory: all workers doing so at once wait for the bus for longer
/// than a short firing takes. Told by the time since the last look, so that neighbours, who take the same time, come to
/// the same number and wait at the same firings.
inline void pace_looks(on_chip& c, u64 now) {
  constexpr u64 soon_ns = 250'000;
  constexpr u32 most = 1U << 16U;
  const u64 since = now - c.host_looked_at;
  c.host_looked_at = now;
  if (since < soon_ns && c.host_look_every < most) c.host_look_every *= 2;
  if (since > late_ns && c.host_look_every > 1) c.host_look_every /= 2;
}

/// Lane 0, behind a look at all else: firings need not look at once, and their clock goes on from now.
template <class Block>
void looked_around(Block& b, on_chip& c, u64 now) {
  c.now_ns = now;
  c.samples = 0;
  c.fire_clock = merge_clock(c.clock, 0, stamp_at(now + static_cast<u64>(c.clock_offset_ns)));
  c.fire_looked = static_cast<u64>(b.cycles());
}

/// Lane 0, between two firings: the clock goes on, and it looks at what else might be to do. The other lanes see what it
/// leaves in on_chip behind the next barrier.
/// @param firing  number of the actor's message.
template <bool MayWait, class Clock>
PERDURE_OUT_OF_LINE void look_around(on_chip& chip, const memory& mem, Clock& steady_ns,
                                     u64 firing) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u64 now = steady_ns();
  c.now_ns = now;
  c.fire_clock = merge_clock(c.clock, 0, stamp_at(now + static_cast<u64>(c.clock_offset_ns)));
  const word ring = load<order::relaxed, scope::device>(
      &own_ring(c, m).words[c.ring_head & ((u64{1} << m.ring_shift) - 1)]);
  const bool its_turn =
      !MayWait || (firing & (c.host_look_every - 1)) == 0 || now - c.host_looked_at > 2 * late_ns;
  if (its_turn && now >= c.control_at) {  // command and first lane are under way at once
    command_look command;
    lane_look lane;
    begin_look(c, m, now, command, true);
    if (c.lanes_used != 0) begin_look(c, m, lane);
    note_look(c, command);
    note_look(c, m, lane);
    for (u32 more = 1; more < lanes_a_look && more < c.lanes_used && c.lane_ready == 0; ++more) {
      begin_look(c, m, lane);
      note_look(c, m, lane);
    }
    pace_looks(c, now);
  } else {  // the host aligns clocks by it, oftener than the bus is looked at
    tell_time(c, m, now);
  }
  const bool message = own_ring(c, m).ready(ring, c.ring_head);
  c.leave = message || c.commanded != 0 || c.lane_ready != 0 || now >= c.timer_due ? 1 : 0;
}

}  // namespace perdure::loop
