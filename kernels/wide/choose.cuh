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
  const u32 stride = ends == c[m.ends] ? abi::max_ports : row.ports;
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

/// Whether what a linked actor was found to wait for has come. Any lane. Of one with several things noted: no.
inline bool came_for(on_chip& c, const abi::linked_actor& entry) {
  return entry.kind != several && has_come(c, {entry.at, entry.want, entry.kind});
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

/// Of the worker's linked actors that may fire for all that is known, which is that nothing is known of what they wait for,
/// or that has come, the one that was left longest ago. Those that go round with their neighbours so stay in step, and
/// none waits for others for ever. All lanes; the collective is a barrier. @return its place, or ~0.
/// Blocks of one thread ask each actor, `in_turn` first: their messages lie whole in the links, and no word of them has a
/// number.
template <class Block>
u32 next_candidate(Block& b, on_chip& c, const memory& m, u32 in_turn) {
  if constexpr (Block::in_order) return in_turn;
  static_assert(abi::noted_ports == 32);
  const u32 linked = c.linked;
  const abi::linked_actor* list = m.linked + static_cast<u64>(c.worker) * m.linked_most;
  const auto all_of = [&](u32 n, u32 k) {
    const abi::awaited one = awaited_of(c, m, n < abi::noted_actors ? n : 0)[k];
    const abi::linked_actor entry = list[n];  // both are on their way
    if (entry.kind != several) return entry.kind == 0 || came_for(c, entry);
    return one.kind == 0 || has_come(c, one);
  };
  return place_by_age(
      b.least_of_groups(linked, [&](u32 n) { return by_age(c, list[n], n); }, all_of));
}

/// Whether any linked actor of the worker could fire. All lanes; ends with a barrier. Asks all of them: with a command links
/// and actors may have changed, and next_candidate() believes what was last known.
template <class Block>
bool any_could_fire(Block& b, on_chip& c, const memory& m) {
  abi::linked_actor* list = m.linked + static_cast<u64>(c.worker) * m.linked_most;
  bool any = false;
  for (u32 i = 0; i < c.linked; ++i) {
    if (!could_fire(b, c, m, list + i)) continue;
    any = true;
    b.once([&] { list[i].kind = 0; });
  }
  return any;
}

}  // namespace perdure::loop
