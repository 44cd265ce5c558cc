// kernels/wide/awaited.cuh - what a linked actor that is not held waits for.
// Why: a worker with several of them looks for the next one that can fire once a visit; a chain of trips to memory for each
//      of them, link by link, takes as long as a firing.
// Invariant: noted while the actor is held; its counts do not change until it is held again, but for out-ports at which an
//            ordinary handler commits: whoever fires looks at the room there once more.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/platform/cluster.cuh"
#include "kernels/wide/bring.cuh"

namespace perdure::loop {

/// linked_actor::kind: all that memory::awaited has of it.
inline constexpr u32 several = 4;
/// The same: the actor is gone, or nothing is linked to it; a command may change that, and any_could_fire() asks then.
inline constexpr u32 gone = 5;

/// The worker's linked actors: c.linked of them.
inline abi::linked_actor* linked_list(const on_chip& c, const memory& m) {
  return m.linked + static_cast<u64>(c.worker) * m.linked_most;
}
inline abi::awaited* awaited_of(const on_chip& c, const memory& m, u32 place) {
  return m.awaited + (static_cast<u64>(c.worker) * abi::noted_actors + place) * abi::noted_ports;
}

/// Messages of a link that are asked for, if its actor gathers for so many firings; no more can be under way than it holds.
inline u32 ahead_of(const abi::link_end& end, u32 firings) {
  return end.own != 0 ? 1 : firings < end.slots ? firings : end.slots;
}
/// What is awaited at a linked port: the last word of the last message that is asked for, or room for as many.
inline abi::awaited awaited_at(const abi::link_end& end, bool in, u32 firings) {
  const u32 ahead = ahead_of(end, firings);
  if (!in) {
    return {reinterpret_cast<u64>(end.taken), static_cast<u32>(end.count + ahead - end.slots), 3};
  }
  const u64 place = place_in_link(end, end.words_a_message - 1, end.count + ahead);
  const bool near = end.where == abi::tier::chip;
  return {near ? end.offset + place * sizeof(word) : reinterpret_cast<u64>(end.words + place),
          static_cast<u32>(end.count + ahead), near ? 2U : 1U};
}
/// Whether it has come. Any lane.
inline bool has_come(on_chip& c, const abi::awaited& one) {
  if (one.kind == 1) {
    return abi::number_of(load<order::relaxed, scope::device>(
               reinterpret_cast<const word*>(one.at))) == one.want;
  }
  if (one.kind == 2) {
    const char* at = reinterpret_cast<const char*>(&c) + one.at;
    return abi::number_of(load_near(reinterpret_cast<const word*>(at))) == one.want;
  }
  if (one.kind == 3) {
    const u64 taken = load<order::relaxed, scope::device>(reinterpret_cast<const u64*>(one.at));
    return static_cast<int>(static_cast<u32>(taken) - one.want) >= 0;
  }
  return false;
}

/// Whether thing `k` has come of those that a linked actor waits for, if there are so many; or nothing is known of it. Any lane.
/// @param list  of the worker. @param place  in it.
inline bool has_come(on_chip& c, const memory& m, const abi::linked_actor* list, u32 place, u32 k) {
  abi::awaited one = awaited_of(c, m, place < abi::noted_actors ? place : 0)[k];
  const abi::linked_actor entry = list[place];  // both are on their way
  const bool noted = entry.kind == several;
  if (!noted) one = {entry.at, entry.want, entry.kind};
  return (noted ? k >= entry.want : k != 0 || entry.kind == 0) || has_come(c, one);
}
/// What a poll learns by asking for the first of those things. Any lane.
enum class first_come : u32 { not_yet, and_more_is_awaited, and_that_is_all };
inline first_come look_at_first(on_chip& c, const memory& m, const abi::linked_actor* list,
                                u32 place) {
  if (!has_come(c, m, list, place, 0)) return first_come::not_yet;
  const abi::linked_actor entry = list[place];
  return entry.kind == several && entry.want > 1 ? first_come::and_more_is_awaited
                                                 : first_come::and_that_is_all;
}
/// Whether all of them have.
inline bool has_all(on_chip& c, const memory& m, const abi::linked_actor* list, u32 place) {
  bool here = has_come(c, m, list, place, 0);
  for (u32 k = 1; here && list[place].kind == several && k < list[place].want; ++k)
    here = has_come(c, m, list, place, k);
  return here;
}

/// Notes all that the held actor waits for; `place` of the worker's list. All lanes, behind a barrier; ends with one.
template <class Block>
void note_awaited(Block& b, on_chip& c, const memory& m, abi::linked_actor* entry, u32 place) {
  const u32 firings = abi::gathered_by(c[m.ends]);
  const auto waits = [&](u32 i) -> u32 {
    const abi::link_end& end = c[m.ends][i];
    const bool has_room =
        i >= abi::max_ports && end.count + ahead_of(end, firings) - end.seen <= end.slots;
    return end.slots != 0 && !has_room ? 1 : 0;
  };
  static_assert(abi::noted_ports == 32);
  typename Block::template per_lane<u32> before;
  const u32 all = b.sum_below(before, [](u32 lane) { return lane % 32; }, waits);
  b.region([&](u32 lane) {
    u32 next = before[lane];
    for (u32 i = lane; i < abi::noted_ports; i += b.lanes()) {
      if (waits(i) != 0)
        awaited_of(c, m, place)[next] = awaited_at(c[m.ends][i], i < abi::max_ports, firings);
      if (b.lanes() >= abi::noted_ports) break;
      for (u32 k = i; k < i + b.lanes() && k < abi::noted_ports; ++k) next += waits(k);
    }
    if (lane != 0) return;
    entry->want = all;
    entry->kind = several;
    c.most_awaited = all > c.most_awaited ? all : c.most_awaited;
  });
}

}  // namespace perdure::loop
