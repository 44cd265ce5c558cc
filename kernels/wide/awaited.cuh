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

/// Notes all that the held actor waits for; `place` of the worker's list. All lanes, behind a barrier; ends with one.
template <class Block>
void note_awaited(Block& b, on_chip& c, const memory& m, abi::linked_actor* entry, u32 place) {
  const u32 firings = abi::gathered_by(c[m.ends]);
  b.region([&](u32 lane) {
    for (u32 i = lane; i < abi::noted_ports; i += b.lanes()) {
      const abi::link_end& end = c[m.ends][i];
      const bool in = i < abi::max_ports;
      abi::awaited one{};
      const bool has_room = !in && end.count + ahead_of(end, firings) - end.seen <= end.slots;
      if (end.slots != 0 && !has_room) one = awaited_at(end, in, firings);
      awaited_of(c, m, place)[i] = one;
    }
    if (lane == 0) entry->kind = several;
  });
}

}  // namespace perdure::loop
