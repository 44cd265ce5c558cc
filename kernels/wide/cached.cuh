// kernels/wide/cached.cuh - wide actors with small states that stay on chip while another one of their worker is held.
// Why: to swap two of them through memory takes several times as long as a firing: link ends, the table of runs, the state.
// Invariant: a direct-mapped cache that drives nobody out: who came first to a way has it until the worker is to rest. What the
//            slot has of a cached actor is stale, but for its header and per_lane values; while it is held, so is its way.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/runs.cuh"
#include "kernels/wide/slots.cuh"

namespace perdure::loop {

inline bool has_cache(const memory& m) {
#if defined(PERDURE_STATES_IN_MEMORY)  // none is brought
  (void)m;
  return false;
#else
  return m.cache_ways != 0;
#endif
}

/// The one place where an actor may be cached: those of all types alternate, by their number among their worker's. An odd
/// factor, so that a type's actors reach all ways.
inline u32 way_of(const memory& m, u32 type, u32 index) {
  return (quotient(m, index) * (m.type_count | 1U) + type) & (m.cache_ways - 1);
}
inline word* way_words(on_chip& c, const memory& m, u32 way) {
  return reinterpret_cast<word*>(c[m.ways] + way * way_bytes(m));
}
/// Words from `ends` up to `message`: link ends, runs, and where messages land.
inline u32 link_words_of_way(const memory& m) {
  return (m.message.offset - m.ends.offset) / u32{sizeof(word)};
}
inline u32 state_words_of_way(const abi::type_row& row) {
  return row.on_chip != 0 ? whole_words(row.size) / u32{sizeof(word)} : 0;
}

inline bool is_cached(on_chip& c, const memory& m, u32 type, u32 index) {
  if (!has_cache(m)) return false;
  const cached_actor& there = c[m.cached][way_of(m, type, index)];
  return there.type == type && there.index == index;
}
/// Whether who is held has a way, now or when it is put away.
inline bool finds_way(on_chip& c, const memory& m) {
  if (!has_cache(m) || c.held_type == 0) return false;
  const cached_actor& there = c[m.cached][way_of(m, c.held_type, c.held_index)];
  return there.type == 0 || (there.type == c.held_type && there.index == c.held_index);
}
/// Who is held, as its way names it.
inline cached_actor name_held(const on_chip& c) {
  return {c.held_type, c.held_index, c.in_runs, c.runs};
}

/// Puts who is held into its way; nobody is held behind it and the caller's next barrier. All lanes, behind a barrier.
template <class Block>
void cache_held(Block& b, on_chip& c, const memory& m) {
  const u32 way = way_of(m, c.held_type, c.held_index);
  word* const to = way_words(c, m, way);
  const u32 links = link_words_of_way(m);
  const u32 state = state_words_of_way(c[m.types_here][c.held_type]);
  b.region([&](u32 lane) {
    if (c.held_saved != 0) state_wait(c);  // else each lane has
    const auto* ends = reinterpret_cast<const word*>(c[m.ends]);
    const auto* held = reinterpret_cast<const word*>(c[m.held]);
    for (u32 i = lane; i < links; i += b.lanes()) to[i] = ends[i];
    for (u32 i = lane; i < state; i += b.lanes()) to[links + i] = held[i];
    has_written();
  });
  b.lead([&] {
    bulk_out_done();  // of who was held before: it may be the next one
    c[m.cached][way] = name_held(c);
    c.held_type = 0;
  });
}

/// Makes a cached actor the one that is held. All lanes, behind a barrier; ends with one.
/// @param leaves  who was held goes into its way; else nobody was, and no copy out of `held` is under way.
template <class Block>
void hold_cached(Block& b, on_chip& c, const memory& m, u32 type, u32 index, bool leaves) {
  const u32 way = way_of(m, type, index);
  const u32 left = leaves ? way_of(m, c.held_type, c.held_index) : 0;
  const u32 links = link_words_of_way(m);
  const u32 state = state_words_of_way(c[m.types_here][type]);
  const u32 old_state = leaves ? state_words_of_way(c[m.types_here][c.held_type]) : 0;
  b.region([&](u32 lane) {
    if (c.held_saved != 0) state_wait(c);  // else each lane has
    const word* const from = way_words(c, m, way);
    word* const to = way_words(c, m, left);
    auto* const ends = reinterpret_cast<word*>(c[m.ends]);
    auto* const held = reinterpret_cast<word*>(c[m.held]);
    for (u32 i = lane; i < links; i += b.lanes()) {  // a lane's words are its own: no barrier
      const word next = from[i];
      if (leaves) to[i] = ends[i];
      ends[i] = next;
    }
    for (u32 i = lane; i < old_state || i < state; i += b.lanes()) {
      if (i < old_state) to[links + i] = held[i];
      if (i < state) held[i] = from[links + i];
    }
    has_written();
  });
  b.once([&] {
    if (leaves) c[m.cached][left] = name_held(c);
    const cached_actor now = c[m.cached][way];
    c.held_type = type;
    c.held_index = index;
    c.in_runs = now.in_runs;
    c.runs = now.runs;
    c.held_saved = 0;  // its slot has an older one
  });
}

/// Writes those that are cached into their slots, but for one that was held until now and is written; nobody is cached then.
/// All lanes, behind a barrier; ends with one. All is there when lane 0 has asked: bulk_out_done().
template <class Block>
void empty_cache(Block& b, on_chip& c, const memory& m, u32 held_type, u32 held_index) {
  PERDURE_ROLLED
  for (u32 way = 0; way < m.cache_ways; ++way) {
    const cached_actor who = c[m.cached][way];
    if (who.type == 0 || (who.type == held_type && who.index == held_index)) continue;
    const abi::type_row& row = c[m.types_here][who.type];
    char* const slot = slot_of(m, row, who.index);
    const word* const from = way_words(c, m, way);
    if (row.on_chip != 0) {
      send_state_out(b, slot + row.offset,
                     reinterpret_cast<const char*>(from + link_words_of_way(m)), row.size);
    }
    b.each([&](u32 lane) {
      put_ends_in_slot(row, slot, reinterpret_cast<const abi::link_end*>(from), lane, b.lanes());
    });
  }
  b.region([](u32) {});  // all have read whose the ways are
  b.region([&](u32 lane) {
    for (u32 i = lane; i < m.cache_ways; i += b.lanes()) c[m.cached][i] = {};
  });
}

}  // namespace perdure::loop
