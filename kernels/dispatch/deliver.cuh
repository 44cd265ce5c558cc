// kernels/dispatch/deliver.cuh - the steps "reserve" and "write": from the outbox into the rings.
// Why: one atomic add a destination and batch reserves places; a place beyond the ring's room is simply
//      written later, so nobody overwrites and nobody has to give a reservation back (docs/adr/002).
// Invariant: head <= tail; a word is written only while pos < head + capacity; a pair's order is the places' order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/outbox.cuh"

namespace perdure::loop {

/// Reserves places for all that the batch sent. Afterwards `pending` counts messages to write.
template <class Block>
void reserve(Block& b, on_chip& c, const memory& m) {
  b.region([&](u32 lane) {
    for (u32 d = lane; d <= m.workers; d += b.lanes()) {
      const u32 words = c.out_count[d];
      if (words == 0) continue;
      c.out_count[d] = 0;
      if (d == m.workers) {  // the host ring has one producer, this worker
        c.out_base[d] = c.host_tail;
        c.host_tail += words;
      } else {
        // relaxed: positions only; the words publish themselves
        c.out_base[d] = fetch_add<scope::device>(&m.tails[d].value, u64{words});
      }
    }
    if (lane == 0) {
      c.count[static_cast<u32>(abi::counter::sent)] += c.entries - c.host_entries - c.forwarded_now;
      c.forwarded_now = 0;
    }
  });
}

/// Words of destination `d` that may be written: its head, as last seen, plus its capacity.
/// @memory  acquire: pairs with advance_ring()'s or the host's release; what was read is no longer needed.
inline u64 limit_of(on_chip& c, const memory& m, u32 d, u64 needed) {
  const u64 capacity = u64{1} << (d == m.workers ? m.host_shift : m.ring_shift);
  u64 head = load<order::relaxed, scope::block>(&c.known_head[d]);
  if (needed <= head + capacity) return head + capacity;
  head = d == m.workers ? load<order::acquire, scope::system>(&m.host_heads[c.worker].value)
                        : load<order::acquire, scope::device>(&m.heads[d].value);
  store<order::relaxed, scope::block>(&c.known_head[d], head);
  return head + capacity;
}

/// Writes every message of the outbox whose place has become free. @return messages still waiting.
template <class Block>
u32 write(Block& b, on_chip& c, const memory& m) {
  const u32 entries = c.entries;
  return b.sum([&](u32 lane) -> u32 {
    u32 waiting = 0;
    for (u32 e = lane; e < entries; e += b.lanes()) {
      outbox_entry& entry = outbox_at(c, e);
      if (entry.words == 0) continue;
      const u64 pos = c.out_base[entry.dst] + entry.offset;
      if (pos + entry.words > limit_of(c, m, entry.dst, pos + entry.words)) {
        ++waiting;
        continue;
      }
      const word* from = outbox_words(c, entry.slot, entry.words);
      if (entry.dst == m.workers) {
        word* ring = m.host_rings + (static_cast<u64>(c.worker) << m.host_shift);
        for (u32 k = 0; k < entry.words; ++k) {
          // relaxed, system: each word says by its lap that it is whole
          store<order::relaxed, scope::system>(&ring[(pos + k) & ((u64{1} << m.host_shift) - 1)],
                                               abi::tagged(from[k], pos + k, m.host_shift, k == 0));
        }
      } else {
        word* ring = m.rings + (static_cast<u64>(entry.dst) << m.ring_shift);
        for (u32 k = 0; k < entry.words; ++k) {
          store<order::relaxed, scope::device>(&ring[(pos + k) & ((u64{1} << m.ring_shift) - 1)],
                                               abi::tagged(from[k], pos + k, m.ring_shift, k == 0));
        }
      }
      entry.words = 0;
    }
    return waiting;
  });
}

/// Empties the outbox once all of it is written. Lane 0, after a barrier.
inline void clear_outbox(on_chip& c) {
  c.entries = 0;
  c.out_top = 0;
  c.host_entries = 0;
  c.samples = 0;
  c.pending = 0;
}

}  // namespace perdure::loop
