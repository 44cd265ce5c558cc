// kernels/dispatch/busy_lanes.cuh - host lanes of which a turn took many messages are taken from again, with no look before it.
// Why: such a lane is likely to have more when its turn comes; a look takes a turn for the ring and a trip over the bus, some
//      9,000 cycles, and a worker whose actor gets most of a stream has its messages from one lane (docs/adr/068).
// Invariant: a turn for the ring, which looks at the next host lane, comes between if the ring has something, a worker's spill
//            is over half full or this one's holds something; and behind most_unseen_turns, unless an idle warp has looked at
//            all other lanes meanwhile (ahead.cuh).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/looks.cuh"

namespace perdure::loop {

inline constexpr u32 most_unseen_turns = 4;

/// Lane 0: a turn has taken this from a host lane. What an idle warp may bring meanwhile is of the lane whose turn is next.
template <class Block>
void note_taken(on_chip& c, const memory& m, u32 lane, batch taken) {
  if (!Block::host_is_far) return;
  const u64 own = u64{1} << lane;
  const bool busy = taken.messages >= busy_batch;
  c.busy_lanes = busy ? c.busy_lanes | own : c.busy_lanes & ~own;
  if constexpr (runs_are_built) {
    if (m.lands_ahead == 0 || !busy) return;
    const u32 next = next_busy(c, lane);
    c.ahead.from = c.lane_head[next] + (next == lane ? taken.words : 0);
    c.ahead.lane = next + 1;
    c.ahead.words = c.ahead.idle = c.ahead.others = 0;
  }
}

/// What a turn for a host lane wants to know of the ring before the next one. Lane 0's.
struct ring_look {
  word seen{0, 0};
  u64 pressure = 0;
  bool under_way = false;
};
/// Lane 0, when what was taken is handled. @param messages  of those.
template <class Block>
void begin_look(on_chip& c, const memory& m, u32 messages, ring_look& look) {
  if (!Block::host_is_far) return;
  if (messages < busy_batch || c.unseen_turns == most_unseen_turns ||
      c.spill_head != c.spill_tail) {
    c.unseen_turns = 0;
    return;
  }
  const word_source ring = own_ring(c, m);
  const u64 mask = (u64{1} << ring.shift) - 1;
  look.seen = load<order::relaxed, scope::device>(&ring.words[c.ring_head & mask]);
  look.pressure = load<order::relaxed, scope::device>(m.pressure);
  look.under_way = true;
}
/// Lane 0, at the end of a turn for `lane`, when all that it sent is written: the next one is for a lane that an idle warp has
/// seen something in, or for the busy one behind this, if nothing is against it.
inline void note_look(on_chip& c, const memory& m, u32 lane, const ring_look& look) {
  if (!look.under_way) return;
  const bool has_own = c.own_tail > c.ring_head;  // what this turn has sent was not there yet
  if (has_own || look.pressure != 0 || abi::is_ready(look.seen, c.ring_head, m.ring_shift)) {
    c.unseen_turns = 0;
    return;
  }
  const u32 others = runs_are_built ? c.ahead.others : 0;
  c.unseen_turns = others != 0 ? 0 : c.unseen_turns + 1;
  c.lane_ready = others > 1 ? others - 1 : next_busy(c, lane) + 1;
}

}  // namespace perdure::loop
