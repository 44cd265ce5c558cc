// kernels/wide/ahead.cuh - what the linked actor that most likely comes next will read first is asked for while the one in hand
//                          sends.
// Why: a state that stays in memory is read by the handler itself; from its end to the next one's first reads, some 10 us, the
//      memory would stand still.
// Invariant: no effect on what is computed. Who comes next is a guess, and what an actor has said of its next call may be
//            stale; then it was asked for in vain.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/choose.cuh"

namespace perdure::loop {

/// Of the worker's linked actors but for the one in hand, the place of the one that was left longest ago, or ~0. All lanes
/// of a group that works side by side; no barrier.
template <class Block>
u32 next_by_age(Block& b, const on_chip& c, const memory& m, u32 type, u32 index) {
  const abi::linked_actor* list = m.linked + static_cast<u64>(c.worker) * m.linked_most;
  const u32 linked = c.linked;
  const u32 key = ~b.most_alone([&](u32 i) {
    u32 best = ~0U;
    for (u32 n = i; n < linked; n += 32) {
      const abi::linked_actor entry = list[n];
      if (entry.kind == gone || (entry.type == type && entry.index == index)) continue;
      const u32 one = by_age(c, entry, n);
      best = one < best ? one : best;
    }
    return ~best;
  });
  return place_by_age(key);
}
/// Looks up what the one that comes next reads first. All lanes; the actor in hand is the one of that type and index.
template <class Block>
void look_ahead(Block& b, on_chip& c, const memory& m, u32 type, u32 index) {
  const u32 place = next_by_age(b, c, m, type, index);
  b.each([&](u32 lane) {
    PERDURE_ROLLED
    for (u32 i = lane; i < abi::first_reads; i += b.lanes())
      c.ahead[i] = place < abi::noted_actors ? first_reads_of(c, m, place)[i] : abi::first_read{};
  });
}
/// Asks for it. All lanes.
template <class Block>
void ask_ahead(Block& b, const on_chip& c) {
  b.each([&](u32 lane) {
    PERDURE_ROLLED
    for (u32 i = lane; i < abi::first_reads; i += b.lanes())
      bulk_ahead(reinterpret_cast<const void*>(c.ahead[i].at), c.ahead[i].bytes);
  });
}

}  // namespace perdure::loop
