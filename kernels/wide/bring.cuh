// kernels/wide/bring.cuh - the wide actor in hand: its link ends, and its state where that has room on chip.
// Why: a field that stays on chip between messages is what wide actors are for; a worker that owns several swaps them.
//      States that pass by leave the L2 cache before what links hold: a message is read soon, a state once in a round.
// Invariant: while an actor is held or cached, its link ends (and its state, if its type is brought on chip) in its slot are
//            stale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/cached.cuh"

namespace perdure::loop {

/// The link ends of an actor: those of one that is held or cached are on chip, others lie in their slots.
inline const abi::link_end* ends_of(on_chip& c, const memory& m, u32 type, u32 index) {
  if (c.held_type == type && c.held_index == index) return c[m.ends];
  if (is_cached(c, m, type, index))
    return reinterpret_cast<const abi::link_end*>(way_words(c, m, way_of(m, type, index)));
  const abi::type_row& row = c[m.types_here][type];
  return ends_in_slot(row, slot_of(m, row, index));
}

/// The handler in hand wants messages for so many firings before its actor, which is held, is brought to fire again. Lane 0.
inline void gather_for(on_chip& c, const memory& m, u32 firings) {
  abi::link_end& first = *c[m.ends];
  const u32 before = abi::gathered_by(&first);
  first.gathered =
      static_cast<abi::u8>(firings < abi::most_gathered ? firings : abi::most_gathered);
  first.owed = 0;
  if (abi::gathered_by(&first) != before) c.gathers_anew = 1;
}

/// Where a handler finds the state of the held actor.
inline char* held_state(on_chip& c, const memory& m, const abi::type_row& row, char* slot) {
#if defined(PERDURE_STATES_ON_CHIP)  // the host has seen that all of the program's fit
  (void)row;
  (void)slot;
  return c[m.held];
#elif defined(PERDURE_STATES_IN_MEMORY)  // and that none does
  (void)c;
  (void)m;
  char* at = slot + row.offset;
  __builtin_assume(__isGlobal(at));  // quicker to read and write than what may be anywhere
  return at;
#else
  return row.on_chip != 0 ? c[m.held] : slot + row.offset;
#endif
}

/// Sets the state of the held actor on its way to its slot, if it is another one there. All lanes, behind a barrier; lanes
/// that copy themselves are done with it behind the next one, others when lane 0 has asked: bulk_out_read(), bulk_out_done().
template <class Block>
void save_held(Block& b, on_chip& c, const memory& m) {
  const abi::type_row& row = c[m.types_here][c.held_type];
  if (row.on_chip == 0) {
    b.lead([] { bulk_out_done(); });  // of who was held before: it may be the next one
    return;
  }
  if (c.held_saved != 0) return;
  char* to = slot_of(m, row, c.held_index) + row.offset;
  if constexpr (copies_in_bulk) {
    b.region([&](u32) {
      state_wait(c);  // one that was brought and not looked at
      has_written();
    });
    b.lead([&] {
      bulk_out_done();  // of who was held before: it may be the next one
      c.held_saved = 1;
    });
  } else {
    async_wait();  // a state that was brought and not looked at
  }
  send_state_out(b, to, c[m.held], row.size);
}

/// Writes the held actor into its slot; nobody is held behind it and the caller's next barrier. The state may be on its way
/// still. All lanes, behind a barrier.
template <class Block>
void put_in_slot(Block& b, on_chip& c, const memory& m) {
  const u32 type = c.held_type;
  if (type == 0) return;
  const abi::type_row& row = c[m.types_here][type];
  char* const slot = slot_of(m, row, c.held_index);
  state_wait(c);  // one that was brought and not looked at
  save_held(b, c, m);
  b.region([&](u32 lane) { put_ends_in_slot(row, slot, c[m.ends], lane, b.lanes()); });
  b.lead([&] { c.held_type = 0; });  // the others see it behind the caller's next barrier
}

/// Makes room for another one: who is held goes where it is nearest. As put_in_slot().
template <class Block>
void put_away(Block& b, on_chip& c, const memory& m) {
  if (finds_way(c, m)) return cache_held(b, c, m);
  put_in_slot(b, c, m);
}

/// Writes the held actor and those that are cached back into their slots; nobody is on chip then. All lanes, behind a barrier.
template <class Block>
PERDURE_OUT_OF_LINE void put_back(Block b, on_chip& chip, const memory& mem) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 type = c.held_type, index = c.held_index;
  put_in_slot(b, c, m);
  if (has_cache(m)) empty_cache(b, c, m, type, index);
  b.once([] { bulk_out_done(); });
}

/// Makes this actor the one that is held, but for its state, which is there for a lane behind state_wait(), and where lanes
/// copy themselves for the others behind a barrier behind that. All lanes, behind a barrier.
template <class Block>
PERDURE_OUT_OF_LINE void begin_bring(Block b, on_chip& chip, const memory& mem, u32 type,
                                     u32 index) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  if (c.held_type == type && c.held_index == index) return;
  if (is_cached(c, m, type, index)) {
    const bool leaves = finds_way(c, m);
    if (!leaves) {
      put_in_slot(b, c, m);
      b.once([] { bulk_out_read(); });
    }
    return hold_cached(b, c, m, type, index, leaves);
  }
  const abi::type_row& row = c[m.types_here][type];
  char* slot = slot_of(m, row, index);
  const abi::link_end* ends = ends_in_slot(row, slot);
  b.each([&](u32 lane) {  // what is read next, one after the other
    if (lane == 0) {
      prefetch(slot);
      bulk_ahead(slot + row.private_at, whole_words(u32{row.private_bytes} * row.lanes));
    }
    if (lane < 2U * row.ports) prefetch(ends + lane);
  });
  // asked for before the state: what is asked for behind it comes behind all of it
  abi::link_end early{};
  constexpr bool asks_early = Block::lane_a_port;
  static_assert(2 * abi::max_ports <= 32, "a warp, and any block, has a lane for each end");
  if constexpr (asks_early) {
    const u32 i = b.lane();
    const u32 port = i % abi::max_ports;
    if (i < 2 * abi::max_ports && port < row.ports)
      early = ends[i / abi::max_ports * row.ports + port];
  }
  put_away(b, c, m);
  if (row.on_chip != 0) {  // all words are under way while the link ends are read
    if constexpr (copies_in_bulk) {
      b.lead([&] {
        bulk_out_read();
        bulk_in(c.gate, c[m.held], slot + row.offset, whole_words(row.size), first_to_leave());
      });
    } else {
      copy_words(b, reinterpret_cast<word*>(c[m.held]),
                 reinterpret_cast<const word*>(slot + row.offset), row.size,
                 [policy = first_to_leave()](word* into, const word* out_of) {
                   async_copy_16(into, out_of, policy);
                 });
    }
  }
  b.region([&](u32 lane) {
    if constexpr (asks_early) {
      if (lane < 2 * abi::max_ports) c[m.ends][lane] = early;
      return;
    }
    for (u32 i = lane; i < 2 * abi::max_ports; i += b.lanes()) {
      const u32 side = i / abi::max_ports;
      const u32 port = i % abi::max_ports;
      abi::link_end end{};
      if (port < row.ports) end = ends[side * row.ports + port];
      c[m.ends][i] = end;
    }
  });
  if constexpr (!Block::whole_links) list_runs(b, c, m, row.ports);
  b.once([&] {
    c.held_type = type;
    c.held_index = index;
    c.held_saved = 1;  // until a handler has it
  });
}
/// Makes this actor the one that is held. All lanes, behind a barrier.
template <class Block>
PERDURE_OUT_OF_LINE void bring(Block b, on_chip& chip, const memory& mem, u32 type, u32 index) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  begin_bring(b, c, m, type, index);
  b.region([&](u32 lane) {
    state_wait(c);
    if (lane == 0) c.held_saved = 0;
  });
}

}  // namespace perdure::loop
