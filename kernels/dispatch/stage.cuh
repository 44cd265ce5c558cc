// kernels/dispatch/stage.cuh - what one lane sends while all others wait for it.
// Why: to look at a receiver, to pack a message and to find its place takes longer than to handle most messages. The one
//      lane only writes down what it sends; the rest is done afterwards, by lanes side by side.
// Invariant: one lane is at work, or several that do the same; what is staged stands in the outbox in the order in which it
//            was sent, and has its place before anything for the same destination is given one behind it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/emit.cuh"

namespace perdure::loop {

/// In place of the destination, in the entry of a message that is staged; its handler then stands in place of the offset.
inline constexpr u32 unplaced = 0xff'ffff;

/// What a staged message is until it has its place: it fills a unit at the most.
struct staged_message {
  u64 to, stamp, sender;
  u64 payload[5];  ///< zero behind its end
  static constexpr u32 first_of_payload = 3;

  u64 number(u32 n) const {
    return n == 0 ? to : n == 1 ? stamp : n == 2 ? sender : payload[n - first_of_payload];
  }
  /// Word `k` of it.
  word at(u32 k) const { return {number(2 * k), number(2 * k + 1)}; }
  void put(u32 k, word w) {
    if (k == 0) {
      to = w.lo;
      stamp = w.hi;
    } else {
      (k == 1 ? sender : payload[2 * k - 3]) = w.lo;
      payload[2 * k - 2] = w.hi;
    }
  }
  /// Word `k` of the message that becomes of it.
  word packed(u32 k, u32 handler, u32 words) const {
    const u64* p = payload;
    switch (k) {
      case 0:
        return {abi::envelope_lo(abi::ref_index(to), abi::ref_generation(to), handler, words),
                sender & abi::data_mask};
      case 1:
        return {abi::stamp_to_wire(stamp) | p[0] << 56U, p[0] >> 8U & abi::data_mask};
      case 2:
        return {p[1], p[2] & abi::data_mask};
      default:
        return {p[2] >> 56U | p[3] << 8U, (p[3] >> 56U | p[4] << 8U) & abi::data_mask};
    }
  }
};
static_assert(sizeof(staged_message) == unit_words * sizeof(word) && held_words == unit_words);

/// The next unit of the outbox and its entry, on chip.
struct stage_place {
  chip_address entry, unit;

  static stage_place of(on_chip& c, const memory& m, u32 top) {
    return {address_here(c[m.entry]) + top * sizeof(u64),
            address_here(c[m.out]) + top * sizeof(staged_message)};
  }
  u32 top(on_chip& c, const memory& m) const {
    return static_cast<u32>(unit - address_here(c[m.out])) / sizeof(staged_message);
  }
  /// Puts a message for an actor there, and goes on if it counts. Lanes that do the same write the same.
  void put(u32 handler, u32 words, const staged_message& message, u32 counts = 1) {
    put_apart(entry, outbox_entry{handler, unplaced, words}.bits());
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 n = 0; n < 2 * unit_words; ++n)
      if (n < 2 * words) put_apart(unit + n * sizeof(u64), message.number(n));
    entry += counts * sizeof(u64);
    unit += counts * sizeof(staged_message);
  }
};
/// The first message of a call, if there is room for it: it is put into the outbox behind the call, and until then it is in
/// registers. Its members but the last have no value while there is none, so that nothing is kept from call to call.
struct waiting_send {
  staged_message message;
  u32 handler, words;
  u32 counts;  ///< 1: there is one
};

/// The same off the chip, by one lane. @return false if the outbox is spent.
inline bool stage_far(on_chip& c, const memory& m, u32 handler, u32 words,
                      const staged_message& message) {
  const u32 unit = c.out_top;
  if (unit >= m.out_units || words > unit_words) return false;
  c.out_top = unit + 1;
  set_entry(c, m, unit, {handler, unplaced, words});
  const outbox_place place = outbox_words(c, m, unit, words);
  for (u32 k = 0; k < words; ++k) place.put(k, message.at(k));
  if (place.here == nullptr) count(c, abi::counter::outbox_overflow);
  return true;
}

/// Packs the message staged in a unit, and says where it goes. If it is for nobody it becomes a dead letter, and the unit
/// is empty. @param entry  of the unit: then as of other messages, but for the offset. @return false: it was not staged.
inline bool pack_staged(on_chip& c, const memory& m, u32 unit, outbox_entry& entry) {
  if (entry.words == 0 || entry.dst != unplaced) return false;
  const outbox_place place = outbox_words(c, m, unit, unit_words);
  const u32 handler = entry.offset;
  staged_message message{};
  for (u32 k = 0; k < unit_words; ++k)
    if (k < entry.words) message.put(k, place.get(k));
  const u64 to = message.to;
  if (to == 0 || abi::ref_system(to) != m.system) {
    set_entry(c, m, unit, {});
    count(c, abi::counter::sent);
    dead_letter(c, m, to == 0 ? abi::dead_reason::null_ref : abi::dead_reason::foreign,
                message.sender & abi::data_mask, to, handler);
    return false;
  }
  for (u32 k = 0; k < unit_words; ++k)
    if (k < entry.words) place.put(k, message.packed(k, handler, entry.words));
  entry.dst = destination(c, m, to, handler);
  if (!waits(m, entry.dst)) store<order::relaxed, scope::block>(&c.may_drop, 1U);
  return true;
}

/// Gives all that is staged its place: one lane.
PERDURE_OUT_OF_LINE inline void place_staged_alone(on_chip& chip, const memory& mem) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 used = outbox_used(c, m);
  PERDURE_ROLLED
  for (u32 unit = c.placed; unit < used; ++unit) {
    outbox_entry entry = entry_at(c, m, unit);
    if (!pack_staged(c, m, unit, entry)) continue;
    entry.offset = c[m.out_count][entry.dst];
    c[m.out_count][entry.dst] = entry.offset + entry.words;
    set_entry(c, m, unit, entry);
  }
  c.placed = used;
}

/// What could not be staged on chip, one lane. @return false: it is a dead letter.
PERDURE_OUT_OF_LINE inline bool send_slowly(on_chip& chip, const memory& mem, u32 handler,
                                            u32 words, staged_message message) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  if (stage_far(c, m, handler, words, message)) return true;
  exhausted(c, m, message.sender, message.to, handler);
  return false;
}

/// As place_staged_alone(), all lanes, behind a barrier; ends with one.
template <class Block>
void place_staged(Block& b, on_chip& c, const memory& m) {
  if constexpr (Block::matches) {
    const u32 used = outbox_used(c, m);
    b.alike([&](bool /*leads*/) {
      PERDURE_ROLLED
      for (u32 base = c.placed; agreed(base < used); base += Block::side_by_side) {
        const u32 unit = base + b.lane();
        outbox_entry entry = unit < used ? entry_at(c, m, unit) : outbox_entry{};
        const bool mine = pack_staged(c, m, unit, entry);
        const auto same = b.match(mine, entry.dst, entry.words);
        if (mine) entry.offset = c[m.out_count][entry.dst] + same.below;
        meet_alike();  // all have read before the last of them writes
        if (mine) {
          set_entry(c, m, unit, entry);
          if (same.is_last) c[m.out_count][entry.dst] = entry.offset + entry.words;
        }
        meet_alike();
      }
    });
  } else {
    b.once([&] { place_staged_alone(c, m); });
  }
  b.lead([&] { c.placed = 0; });
}

}  // namespace perdure::loop
