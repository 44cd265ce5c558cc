// kernels/dispatch/pressure.cuh - what a worker does while its outbox cannot be delivered.
// Why: if every worker only waited, a cycle of full rings would never move; so each one empties its own ring
//      into its spill, and when that is spent and nothing moves any more, messages become dead letters.
// Invariant: the spill continues the ring: while it holds anything, all arrivals go through it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/take.cuh"
#include "kernels/dispatch/outbox.cuh"
#include "kernels/dispatch/buffers.cuh"
#include "kernels/dispatch/handle.cuh"

namespace perdure::loop {

constexpr u64 spill_room(const on_chip& c, const memory& m) {
  return (u64{1} << m.spill_shift) - (c.spill_tail - c.spill_head);
}

/// One lane: tells the host lanes whether this worker's spill is over half full.
inline void report_pressure(on_chip& c, const memory& m) {
  const bool over = (c.spill_tail - c.spill_head) * 2 > (u64{1} << m.spill_shift);
  if (over == (c.over_half != 0)) return;
  c.over_half = over ? 1 : 0;
  fetch_add<scope::device>(m.pressure, over ? u64{1} : ~u64{0});
}

/// Passes the words of a batch that is handled. Lane 0, behind a barrier after their last reader.
inline void pass_on(on_chip& c, const memory& m, batch taken, batch_source source) {
  if (source.from == batch_source::ring) {
    advance_ring(c, m, taken.words);
  } else if (source.from == batch_source::spill) {
    c.spill_head += taken.words;
    report_pressure(c, m);
  } else {
    advance_lane(c, m, source.lane_number, taken);
  }
}

/// Of messages that have landed in absorb(), so many whole ones fit into `room` words. One lane.
inline batch that_fits(const on_chip& c, const memory& m, const batch& there, u64 room) {
  batch fits{0, 0};
  PERDURE_ROLLED
  for (; fits.messages < there.messages; ++fits.messages) {
    const u32 words = abi::words_of(c[m.in][c[m.start][c.deferred + fits.messages]]);
    if (fits.words + words > room) break;
    fits.words += words;
  }
  return fits;
}

/// Moves whole messages from the ring into the spill, as many as it has room for. @return messages moved; `starved` if there
/// were some but the spill has no room for the first of them: then senders are told of all that has been passed, for a place
/// that somebody waits for, this worker, too, may be within it.
template <class Block>
u32 absorb(Block& b, on_chip& c, const memory& m, bool& starved) {
  starved = false;
  const u64 room = spill_room(c, m);
  const u64 tail = c.spill_tail;
  batch there = land(b, c, m, c.ring_head, ~0U, own_ring(c, m));
  if (there.messages == 0) return 0;
  if (there.words > room) {
    const u32 fits = b.broadcast([&] {
      const batch n = that_fits(c, m, there, room);
      if (n.messages == 0) tell_head(c, m);
      return n.messages << 16U | n.words;
    });
    there = {fits >> 16U, fits & 0xffffU};
    starved = there.messages == 0;
    if (starved) return 0;
  }
  word* spill = own_spill(c, m);
  b.region([&](u32 lane) {
    PERDURE_ROLLED
    for (u32 i = lane; i < there.words; i += b.lanes())
      spill[(tail + i) & ((u64{1} << m.spill_shift) - 1)] = c[m.in][c.deferred_words + i];
  });
  b.once([&] {
    advance_ring(c, m, there.words);
    c.spill_tail += there.words;
    c.count[static_cast<u32>(abi::counter::spilled)] += there.messages;
    report_pressure(c, m);
  });
  return there.messages;
}

/// The reserve is spent and nothing has moved for the stall time: what stands in the ring becomes dead letters.
template <class Block>
void exhaust(Block& b, on_chip& c, const memory& m) {
  const batch lost = land(b, c, m, c.ring_head, b.lanes(), own_ring(c, m));
  b.region([&](u32 lane) {
    if (lane >= lost.messages) return;
    const u32 at = c[m.start][c.deferred + lane];
    const word first = c[m.in][at];
    const u32 handler = abi::handler_of(first);
    const u32 type = c[m.handlers_here][handler].actor;
    const u64 pair = 1ULL << 16U | abi::ref_type(abi::sender_of(first)) << 8U | type;
    store<order::relaxed, scope::block>(&c.count[static_cast<u32>(abi::counter::exhausted_pair)],
                                        pair);
    // counted only: the outbox is full, so nothing can be posted; an ask ends by its timeout
    count_dead(c, abi::dead_reason::exhausted);
    if (c[m.handlers_here][handler].bytes > abi::inline_payload) drop_buffer({c[m.in] + at, &m, 0});
  });
  b.once([&] {
    if (lost.messages != 0) advance_ring(c, m, lost.words);
  });
}

}  // namespace perdure::loop
