// kernels/dispatch/stage.cuh - what one lane sends while all others wait for it.
// Why: to look at a receiver, to pack a message and to find its place takes longer than to handle most messages. The one
//      lane only writes down what it sends, so little that a compiler needs no branch for it; the rest is done afterwards, by
//      lanes side by side.
// Invariant: one lane is at work, or several that do the same; what is staged stands in the outbox in the order in which it
//            was sent, and has its place before anything is put there behind it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/emit.cuh"

namespace perdure::loop {

/// What a unit holds while its message is staged: for whom, which event it is, handler and bytes, and the payload.
struct staged_message {
  u64 to;
  u32 past;  ///< events since the first message was staged, but for those that sent
  u32 what;  ///< handler above, bytes of the payload below
  u64 payload[5], spare;

  static constexpr u32 payload_at = 16, bytes_bits = 8;
  static constexpr u32 what_of(u32 handler, u32 bytes) { return handler << bytes_bits | bytes; }
};
static_assert(sizeof(staged_message) == unit_words * sizeof(word));

/// The next unit of the outbox, on chip.
struct stage_place {
  chip_address unit;

  static stage_place of(on_chip& c, const memory& m, u32 top) {
    return {address_here(c[m.out]) + top * u32{sizeof(staged_message)}};
  }
  u32 behind(stage_place before) const {
    return static_cast<u32>(unit - before.unit) / sizeof(staged_message);
  }
  /// Puts a message for an actor there and goes on. Lanes that do the same write the same.
  template <class Payload>
  void put(u64 to, u32 past, u32 handler, const Payload& payload) {
    put_apart(unit, to);
    put_apart(unit + sizeof(u64),
              past | static_cast<u64>(staged_message::what_of(handler, payload.bytes())) << 32U);
    payload.stage_at(unit + staged_message::payload_at);
    unit += sizeof(staged_message);
  }
};

/// Packs the message staged in a unit, and says where it goes. If it is for nobody it becomes a dead letter, and the unit
/// is empty. @param entry  of the unit, but for the offset. @return whether it goes anywhere.
inline bool pack_staged(on_chip& c, const memory& m, u32 unit, outbox_entry& entry) {
  const staged_run& run = *c[m.staged];
  word* at = c[m.out] + unit * unit_words;
  const word head = get_here(at);
  const u64 to = head.lo;
  const u32 handler = static_cast<u32>(head.hi >> 32U) >> staged_message::bytes_bits;
  const u32 bytes = static_cast<u32>(head.hi >> 32U) & 0xffU;
  const u64 stamp = run.stamp + static_cast<u32>(head.hi) + (unit - run.first) + 1;
  const u64 sender = run.sender & abi::data_mask;
  if (to == 0 || abi::ref_system(to) != m.system) {
    set_entry(c, m, unit, {});
    count(c, abi::counter::sent);
    dead_letter(c, m, to == 0 ? abi::dead_reason::null_ref : abi::dead_reason::foreign, sender, to,
                handler);
    return false;
  }
  u64 p[6];
  for (u32 k = 0; k < 3; ++k) {
    const word w = get_here(at + 1 + k);
    p[2 * k] = w.lo;
    p[2 * k + 1] = w.hi;
  }
  const u32 pieces = (bytes + 3) / 4;
  for (u32 i = 0; i < 5; ++i)  // behind its end stands what was there before
    p[i] = pieces >= 2 * i + 2 ? p[i] : pieces > 2 * i ? p[i] & 0xffff'ffffU : 0;
  const u32 words = abi::words_for(bytes);
  put_here(at,
           {abi::envelope_lo(abi::ref_index(to), abi::ref_generation(to), handler, words), sender});
  put_here(at + 1, {abi::stamp_to_wire(stamp) | p[0] << 56U, p[0] >> 8U & abi::data_mask});
  put_here(at + 2, {p[1], p[2] & abi::data_mask});
  put_here(at + 3, {p[2] >> 56U | p[3] << 8U, (p[3] >> 56U | p[4] << 8U) & abi::data_mask});
  entry.dst = destination(c, m, to, handler);
  entry.words = words;
  if (!waits(m, entry.dst)) store<order::relaxed, scope::block>(&c.may_drop, 1U);
  return true;
}

/// Gives all that is staged its place: one lane.
PERDURE_OUT_OF_LINE inline void place_staged_alone(on_chip& chip, const memory& mem) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  staged_run& run = *c[m.staged];
  PERDURE_ROLLED
  for (u32 unit = run.first; unit < run.end; ++unit) {
    outbox_entry entry;
    if (!pack_staged(c, m, unit, entry)) continue;
    entry.offset = c[m.out_count][entry.dst];
    c[m.out_count][entry.dst] = entry.offset + entry.words;
    set_entry(c, m, unit, entry);
  }
  run.first = run.end;
}

/// What could not be staged, one lane. @param emit  (u32 dst, u64 lo) -> whether there was room.
/// @return false: it is a dead letter.
template <class Emit>
bool send_unstaged(on_chip& c, const memory& m, u64 self, u64 to, u32 handler, u32 words,
                   Emit emit) {
  if (to == 0 || abi::ref_system(to) != m.system) {
    count(c, abi::counter::sent);
    dead_letter(c, m, to == 0 ? abi::dead_reason::null_ref : abi::dead_reason::foreign,
                self & abi::data_mask, to, handler);
    return false;
  }
  const u64 lo = abi::envelope_lo(abi::ref_index(to), abi::ref_generation(to), handler, words);
  if (emit(destination(c, m, to, handler), lo)) return true;
  exhausted(c, m, self, to, handler);
  return false;
}
template <u32 Words>
PERDURE_OUT_OF_LINE bool send_slowly(on_chip& chip, const memory& mem, u64 self, u64 stamp, u64 to,
                                     u32 handler, payload_pieces<Words> pieces) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  place_staged_alone(c, m);
  return send_unstaged(c, m, self, to, handler, Words, [&](u32 dst, u64 lo) {
    return emit<Words>(c, m, dst, lo, self & abi::data_mask, stamp, pieces);
  });
}

/// As place_staged_alone(), all lanes, behind a barrier; ends with one, but where nothing is staged. All pack what is staged. Where it goes each knows of its
/// own, if all goes to one worker and has one length, as what one actor sends to another; else some find out, in the order in
/// which it was sent.
template <class Block>
void place_staged(Block& b, on_chip& c, const memory& m) {
  if constexpr (Block::matches) {
    staged_run& run = *c[m.staged];
    const u32 first = run.first, end = run.end;
    if (agreed(first == end)) return;
    const auto each_of = [&](u32 lane, auto f) {
      PERDURE_ROLLED
      for (u32 unit = first + lane; unit < end; unit += b.lanes()) f(unit);
    };
    b.region([&](u32 lane) {
      each_of(lane, [&](u32 unit) {
        outbox_entry entry;
        if (pack_staged(c, m, unit, entry)) set_entry(c, m, unit, entry);
      });
    });
    const outbox_entry one = entry_at(c, m, first);
    const bool differ = b.any([&](u32 lane) {
      bool other = false;
      each_of(lane, [&](u32 unit) {
        const outbox_entry mine = entry_at(c, m, unit);
        other |= mine.dst != one.dst || mine.words != one.words;
      });
      return other;
    });
    if (agreed(!differ)) {
      const u32 before = c[m.out_count][one.dst];
      b.region([&](u32 lane) {
        each_of(lane, [&](u32 unit) {
          set_entry(c, m, unit, {before + (unit - first) * one.words, one.dst, one.words});
        });
      });
      b.lead([&] {
        c[m.out_count][one.dst] = before + (end - first) * one.words;
        run.first = end;
      });
      b.region([](u32) {});
      return;
    }
    b.alike([&](bool /*leads*/) {
      PERDURE_ROLLED
      for (u32 base = first; agreed(base < end); base += Block::side_by_side) {
        const u32 unit = base + b.lane();
        outbox_entry entry = unit < end ? entry_at(c, m, unit) : outbox_entry{};
        const bool mine = entry.words != 0;
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
    b.lead([&] { run.first = end; });
  } else {
    b.once([&] { place_staged_alone(c, m); });
  }
}

}  // namespace perdure::loop
