// kernels/dispatch/stage.cuh - what one lane sends while all others wait for it.
// Why: to find a message's destination and its place there takes longer than to handle most messages. The one lane only
//      puts the message into the outbox; where it goes is found out afterwards, by lanes side by side.
// Invariant: one lane is at work; what has no place yet stands in the outbox in the order in which it was sent, and has its
//            place before anything for the same destination is given one behind it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/emit.cuh"

namespace perdure::loop {

/// In place of the destination, in the entry of a message that has no place yet.
inline constexpr u32 unplaced = 0xff'ffff;

/// A unit of the outbox on chip.
struct unit_place {
  word* at;
  void put(u32 k, word w) const { put_here(at + k, w); }
};

/// Puts a message for an actor into the next unit of the outbox, without a place. Lanes that do the same write the same.
/// @param top  of the outbox: those lanes' own. @return false if there is no room on chip.
template <class Payload>
bool stage(on_chip& c, const memory& m, u32& top, u64 lo, u64 sender, u64 stamp,
           const Payload& payload) {
  const u32 unit = top;
  if (unit >= m.chip_units || payload.words() > unit_words) return false;
  top = unit + 1;
  put_here(c[m.entry] + unit, outbox_entry{0, unplaced, payload.words()}.bits());
  payload.write(unit_place{c[m.out] + unit * unit_words}, lo, sender, stamp);
  return true;
}
/// The same off the chip, by one lane. @return false if the outbox is spent.
template <class At>
bool stage_far(on_chip& c, const memory& m, u32 words, At at) {
  const u32 unit = c.out_top;
  if (unit >= m.out_units || words > unit_words) return false;
  c.out_top = unit + 1;
  set_entry(c, m, unit, {0, unplaced, words});
  const outbox_place place = outbox_words(c, m, unit, words);
  for (u32 k = 0; k < words; ++k) place.put(k, at(k));
  if (place.here == nullptr) count(c, abi::counter::outbox_overflow);
  return true;
}

/// Where the message in a unit goes.
inline u32 destination_of_unit(on_chip& c, const memory& m, u32 unit) {
  const word first = outbox_words(c, m, unit, 1).get(0);
  return destination(c, m, abi::receiver_index(first), abi::handler_of(first));
}

/// Gives all that is staged its place: one lane.
PERDURE_OUT_OF_LINE inline void place_staged_alone(on_chip& chip, const memory& mem) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 used = outbox_used(c, m);
  PERDURE_ROLLED
  for (u32 unit = c.placed; unit < used; ++unit) {
    outbox_entry entry = entry_at(c, m, unit);
    if (entry.words == 0 || entry.dst != unplaced) continue;
    entry.dst = destination_of_unit(c, m, unit);
    entry.offset = c[m.out_count][entry.dst];
    c[m.out_count][entry.dst] = entry.offset + entry.words;
    if (!waits(m, entry.dst)) c.may_drop = 1;
    set_entry(c, m, unit, entry);
  }
  c.placed = used;
}

/// What could not be staged on chip. @param at  (u32 k) -> word k. @param emit  (u32 dst) -> whether there was room.
/// @return false: it is a dead letter.
template <class At, class Emit>
bool send_behind_staged(on_chip& c, const memory& m, u64 self, u64 to, u64 lo, At at, Emit emit) {
  const u32 handler = abi::handler_of(word{lo, 0});
  if (to == 0 || abi::ref_system(to) != m.system) {
    count(c, abi::counter::sent);
    dead_letter(c, m, to == 0 ? abi::dead_reason::null_ref : abi::dead_reason::foreign,
                self & abi::data_mask, to, handler);
    return false;
  }
  if (stage_far(c, m, abi::words_of(word{lo, 0}), at)) return true;
  place_staged_alone(c, m);
  if (emit(destination(c, m, to, handler))) return true;
  exhausted(c, m, self, to, handler);
  return false;
}
template <u32 Words>
PERDURE_OUT_OF_LINE bool send_slowly(on_chip& chip, const memory& mem, u64 self, u64 stamp, u64 to,
                                     u64 lo, payload_pieces<Words> pieces) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u64 sender = self & abi::data_mask;
  return send_behind_staged(
      c, m, self, to, lo, [&](u32 k) { return pieces(k, lo, sender, stamp); },
      [&](u32 dst) { return emit<Words>(c, m, dst, lo, sender, stamp, pieces); });
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
        const bool mine = entry.words != 0 && entry.dst == unplaced;
        if (mine) entry.dst = destination_of_unit(c, m, unit);
        const auto same = b.match(mine, entry.dst, entry.words);
        if (mine) entry.offset = c[m.out_count][entry.dst] + same.below;
        meet_alike();  // all have read before the last of them writes
        if (mine) {
          set_entry(c, m, unit, entry);
          if (same.is_last) c[m.out_count][entry.dst] = entry.offset + entry.words;
          if (!waits(m, entry.dst)) store<order::relaxed, scope::block>(&c.may_drop, 1U);
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
