// kernels/wide/choose.cuh - which of a worker's linked actors fires next.
// Why: a worker that has several visits one after another; neighbours wait for whom it leaves for last.
// Invariant: what is said of an actor that is not held may be late, and is never early.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/awaited.cuh"
#include "kernels/wide/ports.cuh"

namespace perdure::loop {

/// Whether an actor could fire as often in a row as it gathers messages for, as far as the last words of its messages say;
/// leaves what it waits for in its entry of the worker's list, for polls. What it sends itself comes as it fires, and is
/// asked for once. All lanes; ends with a barrier. Blocks of one thread ask for one firing.
template <class Block>
bool could_fire(Block& b, on_chip& c, const memory& m, abi::linked_actor* entry) {
  const u32 type = entry->type;
  const u32 index = entry->index;
  const abi::type_row& row = c[m.types_here][type];
  char* slot = slot_of(m, row, index);
  const abi::link_end* ends = ends_of(c, m, type, index);
  const bool in_slot = ends != c[m.ends] && !is_cached(c, m, type, index);
  const u32 stride = in_slot ? row.ports : abi::max_ports;
  // an entry outlives its actor; who has the slot then may have no links
  u32 in_ports = 0;
  for (u32 p = 0; p < row.ports; ++p) in_ports += ends[p].slots != 0 ? 1 : 0;
  if (in_ports == 0 ||
      reinterpret_cast<const abi::actor_header*>(slot)->status != abi::slot_alive) {
    b.once([&] { entry->kind = gone; });
    return false;
  }
  const u32 often = Block::in_order || c.linked == 1 ? 1 : abi::gathered_by(ends);
  auto ahead_in = [&](const abi::link_end& end) { return ahead_of(end, often); };
  auto last_place = [&](const abi::link_end& in) {
    return place_in_link(in, in.words_a_message - 1, in.count + ahead_in(in));
  };
  const u32 missing = b.least([&](u32 lane) {
    for (u32 i = lane; i < 2U * row.ports; i += b.lanes()) {
      const bool is_in = i < row.ports;
      const abi::link_end& end = ends[is_in ? i : stride + i - row.ports];
      if (end.slots == 0) continue;
      if (is_in) {
        if constexpr (Block::in_order) {
          if (!is_whole(end)) return i;
        } else if (abi::number_of(read_link(c, end, last_place(end))) !=
                   static_cast<u32>(end.count + ahead_in(end))) {
          return i;
        }
      } else if (end.count - load<order::relaxed, scope::device>(end.taken) + ahead_in(end) >
                 end.slots) {
        return i;
      }
    }
    return ~0U;
  });
  if (missing == ~0U) {
    b.region([](u32) {});
    return true;
  }
  b.once([&] {
    const bool is_in = missing < row.ports;
    const abi::awaited one =
        awaited_at(ends[is_in ? missing : stride + missing - row.ports], is_in, often);
    entry->want = one.want;
    entry->kind = one.kind;
    entry->at = one.at;
  });
  return false;
}

/// Least for the linked actor that was left longest ago; with its place.
inline u32 by_age(const on_chip& c, const abi::linked_actor& entry, u32 place) {
  constexpr u32 oldest = (1U << (32U - abi::linked_shift)) - 2;
  const u32 age = c.visits - entry.left;
  return (oldest - (age < oldest ? age : oldest)) << abi::linked_shift | place;
}
inline u32 place_by_age(u32 key) {
  return key == ~0U ? ~0U : key & ((1U << abi::linked_shift) - 1);
}

/// As next_candidate(), of every 32nd actor from place `lane` on: a lane's share of a warp that polls. Its by_age(), or ~0. Not
/// inlined: the loop around it has no register to spare.
PERDURE_OUT_OF_LINE inline u32 oldest_that_may(on_chip& chip, const memory& mem, u32 lane) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const abi::linked_actor* list = linked_list(c, m);
  u32 oldest = ~0U;
  PERDURE_ROLLED
  for (u32 i = lane; i < c.linked; i += 32) {
    if (!has_all(c, m, list, i)) continue;
    const u32 age = by_age(c, list[i], i);
    oldest = age < oldest ? age : oldest;
  }
  return oldest;
}

/// Of 32 linked actors from place `base` on those, a bit each, of which something is known not to have come: of all their
/// things lane `lane` asks for every `lanes`-th, as a rule for one. Not inlined, as above.
PERDURE_OUT_OF_LINE inline u32 those_that_wait(on_chip& chip, const memory& mem, u32 base, u32 lane,
                                               u32 lanes) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const abi::linked_actor* list = linked_list(c, m);
  const u32 asked = c.linked - base < 32 ? c.linked - base : 32;
  u32 shift = 0;  // as for 2^shift of them: no lane divides
  while (asked > 1U << shift) ++shift;
  u32 bits = 0;
  for (u32 i = lane; i >> shift < c.most_awaited; i += lanes) {
    const u32 n = i & ((1U << shift) - 1);
    if (n < asked && !has_come(c, m, list, base + n, i >> shift)) bits |= 1U << n;
  }
  return bits;
}

/// Of the worker's linked actors that may fire for all that is known, which is that nothing is known of what they wait for,
/// or that has come, the one that was left longest ago. Those that go round with their neighbours so stay in step, and
/// none waits for others for ever. All lanes; the collective is a barrier. @return its place, or ~0.
/// Lanes ask side by side for all that 32 actors wait for, each for a thing, so that it takes a trip or two to memory.
/// Blocks of one thread ask each actor, `in_turn` first: their messages lie whole in the links, and no word of them has a
/// number.
template <class Block>
u32 next_candidate(Block& b, on_chip& c, const memory& m, u32 in_turn) {
  if constexpr (Block::in_order) return in_turn;
  const abi::linked_actor* list = linked_list(c, m);
  u32 oldest = ~0U;
  PERDURE_ROLLED
  for (u32 base = 0; base < c.linked; base += 32) {
    const u32 waiting =
        b.all_bits([&](u32 lane) { return those_that_wait(c, m, base, lane, b.lanes()); });
    const u32 youngest = b.most_alone([&](u32 i) -> u32 {
      const bool may = base + i < c.linked && (waiting >> i & 1U) == 0;
      return may ? ~by_age(c, list[base + i], base + i) : 0;
    });
    oldest = ~youngest < oldest ? ~youngest : oldest;
  }
  return place_by_age(oldest);
}

/// Whether any linked actor of the worker could fire. All lanes; ends with a barrier. Asks all of them: with a command links
/// and actors may have changed, and next_candidate() believes what was last known.
template <class Block>
bool any_could_fire(Block& b, on_chip& c, const memory& m) {
  abi::linked_actor* list = linked_list(c, m);
  bool any = false;
  for (u32 i = 0; i < c.linked; ++i) {
    if (!could_fire(b, c, m, list + i)) continue;
    any = true;
    b.once([&] { list[i].kind = 0; });
  }
  return any;
}

}  // namespace perdure::loop
