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
/// Units that may hold what is staged.
inline u32 staged_units(const on_chip& c, const memory& m) {
  return c.out_top < m.chip_units ? c.out_top : m.chip_units;
}

/// Where the message in a unit goes.
inline u32 destination_of_unit(on_chip& c, const memory& m, u32 unit) {
  const word first = get_here(c[m.out] + unit * unit_words);
  return destination(c, m, abi::receiver_index(first), abi::handler_of(first));
}

/// Gives all that is staged its place: the lane that has staged it.
PERDURE_OUT_OF_LINE inline void place_staged_alone(on_chip& chip, const memory& mem) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 staged = staged_units(c, m);
  PERDURE_ROLLED
  for (u32 unit = c.placed; unit < staged; ++unit) {
    outbox_entry entry = outbox_entry::of(get_here(c[m.entry] + unit));
    if (entry.words == 0 || entry.dst != unplaced) continue;
    entry.dst = destination_of_unit(c, m, unit);
    entry.offset = c[m.out_count][entry.dst];
    c[m.out_count][entry.dst] = entry.offset + entry.words;
    if (!waits(m, entry.dst)) c.may_drop = 1;
    put_here(c[m.entry] + unit, entry.bits());
  }
  c.placed = staged;
}

/// What could not be staged. @param emit  (u32 dst) -> whether there was room. @return false: it is a dead letter.
template <class Emit>
bool send_behind_staged(on_chip& c, const memory& m, u64 self, u64 to, u64 lo, Emit emit) {
  const u32 handler = abi::handler_of(word{lo, 0});
  if (to == 0 || abi::ref_system(to) != m.system) {
    count(c, abi::counter::sent);
    dead_letter(c, m, to == 0 ? abi::dead_reason::null_ref : abi::dead_reason::foreign,
                self & abi::data_mask, to, handler);
    return false;
  }
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
  return send_behind_staged(c, m, self, to, lo, [&](u32 dst) {
    return emit<Words>(c, m, dst, lo, self & abi::data_mask, stamp, pieces);
  });
}

/// The same by the first lanes that are side by side, so many messages at once; all call it behind a barrier, and it ends
/// with one.
template <class Block>
void place_staged(Block& b, on_chip& c, const memory& m) {
  struct found {
    outbox_entry entry;
    bool is_last;  ///< for its destination, of those that are placed at once
  };
  const u32 staged = staged_units(c, m);
  typename Block::template per_lane<found> mine;
  PERDURE_ROLLED
  for (u32 base = c.placed; base < staged; base += Block::side_by_side) {
    const u32 end = staged - base < Block::side_by_side ? staged - base : Block::side_by_side;
    b.each([&](u32 lane) {
      found& f = mine[lane];
      f.entry = {};
      if (lane >= end) return;
      f.entry = outbox_entry::of(get_here(c[m.entry] + base + lane));
      if (f.entry.words == 0 || f.entry.dst != unplaced) {
        f.entry = {};
        return;
      }
      f.entry.dst = destination_of_unit(c, m, base + lane);  // told to the lanes beside
      put_here(c[m.entry] + base + lane, outbox_entry{f.entry.dst, unplaced, f.entry.words}.bits());
    });
    b.meet_side_by_side();
    b.each([&](u32 lane) {
      found& f = mine[lane];
      if (f.entry.words == 0) return;
      f.entry.offset = c[m.out_count][f.entry.dst];
      f.is_last = true;
      PERDURE_ROLLED
      for (u32 other = 0; other < end; ++other) {
        const outbox_entry there = outbox_entry::of(get_here(c[m.entry] + base + other));
        if (there.words == 0 || there.dst != unplaced || there.offset != f.entry.dst) continue;
        if (other < lane) f.entry.offset += there.words;
        if (other > lane) f.is_last = false;
      }
    });
    b.meet_side_by_side();
    b.each([&](u32 lane) {
      const found& f = mine[lane];
      if (f.entry.words == 0) return;
      put_here(c[m.entry] + base + lane, f.entry.bits());
      if (f.is_last) c[m.out_count][f.entry.dst] = f.entry.offset + f.entry.words;
      if (!waits(m, f.entry.dst)) store<order::relaxed, scope::block>(&c.may_drop, 1U);
    });
    b.meet_side_by_side();
  }
  b.region([](u32) {});
  b.lead([&] { c.placed = 0; });
}

}  // namespace perdure::loop
