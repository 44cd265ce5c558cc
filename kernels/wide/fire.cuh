// kernels/wide/fire.cuh - the step "fire": joined handlers whose messages have all come.
// Why: tiles that exchange faces should not go through a whole turn for each step; the actor, its link ends and its
//      per_lane values stay where they are from firing to firing.
// Invariant: an actor fires when something is linked to it, every linked in-port has its next message and every linked
//            out-port has room; only with an empty outbox; between two firings the worker sees whether something else is
//            to be done.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/deliver.cuh"
#include "kernels/wide/look_around.cuh"

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
    b.once([&] { entry->kind = 0; });
    return false;
  }
  const u32 often = Block::in_order || c.linked == 1 ? 1 : abi::gathered_by(ends);
  // messages of a link that are asked for; no more can be under way than it holds
  auto ahead_in = [&](const abi::link_end& end) {
    return end.own != 0 ? 1 : often < end.slots ? often : end.slots;
  };
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
    const abi::link_end& end = ends[is_in ? missing : stride + missing - row.ports];
    if (!is_in) {
      entry->kind = 3;
      entry->want = static_cast<u32>(end.count + ahead_in(end) - end.slots);
      entry->at = reinterpret_cast<u64>(end.taken);
      return;
    }
    const u64 place = last_place(end);
    entry->want = static_cast<u32>(end.count + ahead_in(end));
    entry->kind = end.where == abi::tier::chip ? 2 : 1;
    entry->at = end.where == abi::tier::chip ? end.offset + place * sizeof(word)
                                             : reinterpret_cast<u64>(end.words + place);
  });
  return false;
}

/// Whether what a linked actor was found to wait for has come. Any lane.
inline bool came_for(on_chip& c, const abi::linked_actor& entry) {
  if (entry.kind == 1) {
    return abi::number_of(load<order::relaxed, scope::device>(
               reinterpret_cast<const word*>(entry.at))) == entry.want;
  }
  if (entry.kind == 2) {
    const char* at = reinterpret_cast<const char*>(&c) + entry.at;
    return abi::number_of(load_near(reinterpret_cast<const word*>(at))) == entry.want;
  }
  if (entry.kind == 3) {
    const u64 taken = load<order::relaxed, scope::device>(reinterpret_cast<const u64*>(entry.at));
    return static_cast<int>(static_cast<u32>(taken) - entry.want) >= 0;
  }
  return false;
}

/// Fires the held actor as long as its messages come and nothing else is to be done.
/// @param tries  looks at words that are missing.  @param least  firings before it leaves for something else.
/// @param most  firings.  @return firings.
template <class Block, class Handle, class Clock>
PERDURE_OUT_OF_LINE u32 fire_held(Block b, on_chip& chip, const memory& mem, Handle& handle,
                                  Clock& steady_ns, u32 tries, u32 least, u32 most) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 type = c.held_type;
  const u32 index = c.held_index;
  const abi::type_row& row = c[m.types_here][type];
  const u32 ports = row.ports;
  char* slot = slot_of(m, row, index);
  auto* header = reinterpret_cast<abi::actor_header*>(slot);
  const abi::actor_header h = *header;
  if (h.status != abi::slot_alive) return 0;
  u32 in_ports = 0;
  for (u32 p = 0; p < ports; ++p) in_ports += is_linked(c[m.ends][p]) ? 1 : 0;
  if (in_ports == 0) return 0;  // a slot's new actor, to which nothing is linked
  firing& f = c.fire;
  b.once([&] {
    f = {abi::make_ref(index, h.generation, type, m.system),
         0,
         row.joined - 1U,
         h,
         ports,
         in_ports,
         out_ports_that(c, m, ports, is_linked),
         tries,
         least,
         most,
         0,
         0};
    note_in_flight(c, m, (u64{f.handler} + 1) << 32U | index);
  });
  private_values_of<Handle> mine;
  mine.load(row, slot, b.lane());
  u32 owed = 0;  // bit: out-port whose last message is not counted yet
  for (bool go = true; go;) {
    b.lead([&] {
      // neighbours wait for whoever looks around, so linked actors do it at the same of their firings
      const u64 cycles = static_cast<u64>(b.cycles());
      const u64 since = cycles - c.fire_looked;
      const bool begins = f.fired == 0 && (f.most == ~0U || since > visit_look_cycles);
      if (begins || f.header.handled % look_every<Block> == 0 || since > look_cycles) {
        c.fire_looked = cycles;
        look_around<Block::may_wait>(c, m, steady_ns, f.header.handled);
      } else if (c.fire_clock < c.clock) {
        c.fire_clock = c.clock;
      }
    });
    if (!land_at_ports(b, c, m, f.ports, owed, f.tries)) break;
    b.lead([&] {
      const u32 this_one = f.fired + 1;
      f.last = this_one >= f.most || (c.leave != 0 && this_one >= f.least) ? 1 : 0;
    });
    const u64 clock = merge_clock(c.fire_clock, latest_landed(b, c, m), 0);
    if constexpr (!Block::in_order) take_from_ports(b, c, m, f.ports, owed);
    wide_call<Block> made{
        &b,
        &c,
        &m,
        {&c, &m, f.self, 0, clock + 1, c.now_ns, f.header.handled, 0, abi::slot_alive, 0},
        held_state(c, m, row, slot),
        Handle::private_bytes != 0 ? mine.at : slot + row.private_at,
        reinterpret_cast<const char*>(c[m.in]),
        c[m.landed],
        f.out_ports,
        ~0U};  // where something is linked, there is room
    handle.joined(made, f.handler);
    end_call(b, c, m, made);
    end_actor(b, c, m, made, header);
    owed = made.committed;
    b.lead([&] {
      c.clock = c.fire_clock = made.call.stamp;
      f.sent += set_bits(owed);
      f.header.status = static_cast<u16>(made.call.status);
      ++f.header.handled;
      ++f.fired;
    });
    if constexpr (Block::in_order) {
      take_from_ports(b, c, m, f.ports, 0);
      count_sent(b, c, m, owed);
      owed = 0;
    }
    go = f.last == 0 && made.call.status == abi::slot_alive;
    if (c.out_top != 0) {
      reserve(b, c, m);
      const u32 left = write(b, c, m);
      b.once([&] {
        c.pending = left;
        if (left == 0) clear_outbox(c);
      });
      if (left != 0) break;
    }
  }
  b.region([](u32) {});  // all are done with the link ends
  count_sent(b, c, m, owed);
  const u32 fired = f.fired;
  mine.save(row, slot, b.lane());
  b.once([&] {
    note_in_flight(c, m, 0);
    *header = f.header;
    c.count[static_cast<u32>(abi::counter::fired)] += fired;
    c.count[static_cast<u32>(abi::counter::link_taken)] += u64{fired} * f.in_ports;
    c.count[static_cast<u32>(abi::counter::link_sent)] += f.sent;
  });
  return fired;
}

/// The first of the worker's linked actors, from place `from` behind `first` on, that may fire for all that is known: nothing
/// is known of what it waits for, or that has come. One look for all of them, side by side, since most wait for
/// neighbours. All lanes; the collective is a barrier. @return its place behind `first`, or ~0.
/// Blocks of one thread ask each actor: their messages lie whole in the links, and no word of them has a number.
template <class Block>
u32 next_candidate(Block& b, on_chip& c, const memory& m, u32 first, u32 from) {
  const u32 linked = c.linked;
  if constexpr (Block::in_order) return from < linked ? from : ~0U;
  const abi::linked_actor* list = m.linked + static_cast<u64>(c.worker) * m.linked_most;
  return b.least([&](u32 lane) {
    for (u32 i = from + lane; i < linked; i += b.lanes()) {
      const abi::linked_actor& entry = list[(first + i) % linked];
      if (entry.kind == 0 || came_for(c, entry)) return i;
    }
    return ~0U;
  });
}

/// Fires what can fire among the worker's linked actors. All lanes; the outbox is empty.
/// @return whether any has fired, or will as soon as words have come that are on their way.
template <class Block, class Handle, class Clock>
bool fire_linked(Block& b, on_chip& c, const memory& m, Handle& handle, Clock& steady_ns) {
  const u32 linked = c.linked;
  if (linked == 0) return false;
  constexpr u32 steady_tries = 256;  // some 200 us: whoever leaves makes its neighbours wait, too
  abi::linked_actor* list = m.linked + static_cast<u64>(c.worker) * m.linked_most;
  const u32 first = c.next_linked;
  if (c.gathers_anew != 0) {  // what was noted of it may be what it need not wait for any more
    b.region([&](u32 lane) {
      for (u32 i = lane; i < linked; i += b.lanes()) list[i].kind = 0;
    });
    b.once([&] { c.gathers_anew = 0; });
  }
  b.lead([&] { c.leave = 0; });  // the first look around says anew what else is to do
  bool works = false;
  u32 looked = 0;
  while (looked < linked) {
    const bool stays = linked == 1 && c.held_type == list->type && c.held_index == list->index;
    if (!stays) {
      const u32 next = next_candidate(b, c, m, first, looked);
      if (next == ~0U) {
        looked = linked;
        break;
      }
      looked = next;
    }
    abi::linked_actor* entry = list + (first + looked) % linked;
    ++looked;
    if (!stays && !could_fire(b, c, m, entry)) continue;
    bring(b, c, m, entry->type, entry->index);
    const u32 gathered = linked == 1 ? 1 : abi::gathered_by(c[m.ends]);
    // a seeded worker's clock stands still within a turn, and with it the looks that would end the visit
    const u32 now = Block::may_wait && linked == 1
                        ? fire_held(b, c, m, handle, steady_ns, steady_tries, 1, ~0U)
                        : fire_held(b, c, m, handle, steady_ns, gathered > 1 ? steady_tries : 1,
                                    gathered, gathered > 1 ? gathered : abi::most_gathered);
    if (now != 0) {
      works = true;
      b.once([&] {
        entry->kind = 0;  // it waits for the next ones
        c[m.ends]->owed = static_cast<abi::u8>(now < gathered ? gathered - now : 0);
      });
    } else {  // could_fire() looks at last words only: if they are there, the others are on their way
      works |= !stays || could_fire(b, c, m, entry);
    }
    if (c.pending != 0 || c.leave != 0) break;
  }
  b.region([](u32) {});
  b.lead([&] { c.next_linked = (first + looked) % linked; });
  return works;
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
