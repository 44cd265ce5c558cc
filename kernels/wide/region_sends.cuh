// kernels/wide/region_sends.cuh - the order of what the lanes of one region send.
// Why: lanes send side by side, but a receiver must see one region's messages by rising index on every backend.
// Invariant: until the region ends its entries in the outbox hold the index in place of an offset, and are marked; then
//            offsets and stamps follow (index, order of the sends at that index).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/lane_state.cuh"

namespace perdure::loop {

/// Marks an entry whose offset is an index yet.
inline constexpr u32 in_region = 0x80;

/// Any lane: enters a message of a region into the outbox. @param at  (u32 k) -> word k.
/// @return false if the outbox is spent.
template <class At>
bool emit_in_region(on_chip& c, const memory& m, u32 dst, u32 words, u32 index, At at) {
  if (load<order::relaxed, scope::block>(&c.out_top) > m.out_units) return false;
  const u32 unit = fetch_add<scope::block>(&c.out_top, units_for(words));
  if (unit + units_for(words) > m.out_units) {
    for (u32 u = unit; u < m.out_units; ++u) set_entry(c, m, u, {});
    return false;
  }
  const outbox_place place = enter_message(c, m, dst, index, unit, words);
  set_entry(c, m, unit, {index, dst, words | in_region});
  for (u32 k = 0; k < words; ++k) place.put(k, at(k));
  return true;
}

/// Gives the messages of a region their offsets and stamps. All lanes, behind a barrier.
/// @param stamp  of the actor's last event.  @return how many messages there were.
template <class Block>
PERDURE_OUT_OF_LINE u32 order_region(Block b, on_chip& chip, const memory& mem, u64 stamp) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 used = outbox_used(c, m);
  u32* offsets = m.region_order + static_cast<u64>(c.worker) * 2 * m.out_units;
  u32* ranks = offsets + m.out_units;
  auto each = [&](auto f) {
    b.region([&](u32 lane) {
      for (u32 u = lane; u < used; u += b.lanes()) {
        const outbox_entry e = entry_at(c, m, u);
        if ((e.words & in_region) != 0) f(u, e);
      }
    });
  };
  const auto words_of = [&](u32 u, outbox_entry e) {
    e.words &= ~in_region;
    return words_in_ring(c, m, u, e);
  };
  each([&](u32 u, outbox_entry e) {
    u32 offset = c[m.out_count][e.dst];
    u32 rank = 0;
    for (u32 v = 0; v < used; ++v) {
      const outbox_entry f = entry_at(c, m, v);
      if ((f.words & in_region) == 0) continue;
      if (f.offset > e.offset || (f.offset == e.offset && v >= u)) continue;
      ++rank;
      if (f.dst == e.dst) offset += words_of(v, f);
    }
    offsets[u] = offset;
    ranks[u] = rank;
  });
  const u32 sent = b.sum([&](u32 lane) {
    u32 n = 0;
    for (u32 u = lane; u < used; u += b.lanes())
      n += (entry_at(c, m, u).words & in_region) != 0 ? 1 : 0;
    return n;
  });
  each([&](u32 u, outbox_entry e) {
    const u32 words = e.words & ~in_region;
    const outbox_place place = outbox_words(c, m, u, words);
    word second = place.get(1);
    second.lo = (second.lo & ~abi::data_mask) | abi::stamp_to_wire(stamp + 1 + ranks[u]);
    place.put(1, second);
    set_entry(c, m, u, {offsets[u], e.dst, words});
    fetch_add<scope::block>(&c[m.out_count][e.dst], words_of(u, e));
  });
  return sent;
}

/// What the lanes of a region did, alike on all of them.
struct region_end {
  u32 sent;    ///< messages
  u64 failed;  ///< index + 1 and reason of the highest index that failed, 0 none
  bool stopped;
};
/// All lanes: brings together what they did in a region in which one sent, failed or stopped.
template <class Block>
PERDURE_OUT_OF_LINE region_end end_region(Block b, on_chip& chip, const memory& mem, u64 stamp,
                                          u32 outcome, u32 index, u32 reason) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  region_end did{};
  did.sent = order_region(b, c, m, stamp);
  did.failed = b.most(
      [&](u32) { return outcome == abi::slot_failed ? (u64{index} + 1) << 32U | reason : u64{0}; });
  did.stopped = b.any([&](u32) { return outcome != abi::slot_alive; });
  return did;
}

}  // namespace perdure::loop
