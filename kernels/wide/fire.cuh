// kernels/wide/fire.cuh - the step "fire": joined handlers whose messages have all come.
// Why: tiles that exchange faces should not go through a whole turn for each step; the actor, its link ends and its
//      per_lane values stay where they are from firing to firing.
// Invariant: an actor fires when something is linked to it, every linked in-port has its next message and every linked
//            out-port has room; only with an empty outbox; between two firings the worker sees whether something else is
//            to be done.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/deliver.cuh"
#include "kernels/wide/choose.cuh"
#include "kernels/wide/look_around.cuh"

namespace perdure::loop {

/// Lane 0: a firing that has ended. @param sent  messages to links.
inline void book_firing(on_chip& c, u64 stamp, u32 sent) {
  c.clock = c.fire_clock = stamp;
  c.fire.sent += sent;
  ++c.fire.header.handled;
  ++c.fire.fired;
}

/// Whether lane 0 looks around before a firing, other than a visit's first one; neighbours wait for whoever does, so linked
/// actors do it at the same of their firings.
template <class Block>
bool looks_before(const on_chip& c, u64 cycles, u32 firing) {
  return firing % look_every<Block> == 0 || cycles - c.fire_looked > look_cycles;
}

/// What is looked at first when the held actor's turn comes again stays in the L2 cache until then, though states pass by.
/// All lanes.
template <class Block>
void keep_near(Block& b, on_chip& c, const memory& m, const abi::type_row& row, const char* slot) {
  b.each([&](u32 lane) {
    if (lane == 0) keep_in_cache(slot);
    if (lane < row.ports)
      keep_in_cache(slot + row.links_at + lane * 2 * u32{sizeof(abi::link_end)});
    if (lane >= 2 * abi::max_ports) return;
    const abi::link_end& end = c[m.ends][lane];
    if (end.slots == 0) return;
    keep_in_cache(end.taken);
    keep_in_cache(whole_last(end, end.count + 1));
  });
}

/// Sends what a firing has put into the outbox. All lanes. @return whether all of it found room.
template <class Block>
PERDURE_OUT_OF_LINE bool empties_outbox(Block b, on_chip& chip, const memory& mem) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  reserve(b, c, m);
  const u32 left = write(b, c, m);
  b.once([&] {
    c.pending = left;
    if (left == 0) clear_outbox(c);
  });
  return left == 0;
}

/// Brings a linked actor and fires it as long as its messages come and nothing else is to be done.
/// @param alone  its worker has no other one: then it leaves for something else only. Others go after so many firings as
/// messages are gathered for, if that is said, and owe what a visit is cut short of. All lanes, behind a barrier; the outbox is
/// empty. @return firings; behind 0 of them its state may be on its way still: state_wait().
template <class Block, class Handle, class Clock>
PERDURE_OUT_OF_LINE u32 visit(Block b, on_chip& chip, const memory& mem, Handle& handle,
                              Clock& steady_ns, u32 type, u32 index, bool alone) {
  constexpr u32 steady_tries = 384;  // some 200 us: whoever leaves makes its neighbours wait, too
  on_chip& c = kept(here(chip));
  const memory& m = here(mem);
  const abi::type_row& row = c[m.types_here][type];
  const u32 ports = row.ports;
  char* slot = slot_of(m, row, index);
  auto* header = reinterpret_cast<abi::actor_header*>(slot);
  const abi::actor_header h = *header;  // before the state: begin_bring()
  begin_bring(b, c, m, type, index);
  private_values_of<Handle> mine;  // on their way beside the state
  mine.load(row, slot, b.lane());
  u32 in_ports = 0;
  for (u32 p = 0; p < ports; ++p) in_ports += is_linked(c[m.ends][p]) ? 1 : 0;
  // the other one: a slot's new actor, to which nothing is linked
  if (h.status != abi::slot_alive || in_ports == 0) {
    b.region([](u32) {});  // its entry in the list changes next, and some may not have read it
    b.lead([] { bulk_out_done(); });  // its state counts as saved, so that nobody else waits
    return 0;
  }
  const u32 gathered = alone ? 1 : abi::gathered_by(c[m.ends]);
  const bool goes_on = Block::may_wait && alone;
  const u32 tries = goes_on || gathered > 1 ? steady_tries : 1;
  const u32 least = gathered;
  // a seeded worker's clock stands still within a turn, and with it the looks that would end the visit
  const u32 most = goes_on ? ~0U : gathered > 1 ? gathered : abi::most_gathered;
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
         0,
         0};
    c.held_saved = 0;
    const u64 cycles = static_cast<u64>(b.cycles());
    const bool begins = most == ~0U || cycles - c.fire_looked > visit_look_cycles;
    f.looks = begins || looks_before<Block>(c, cycles, h.handled) ? 1 : 0;
    note_in_flight(c, m, (u64{f.handler} + 1) << 32U | index);
  });
  state_wait(c);      // where lanes copied it, all see it behind the landing
  u32 owed = 0;       // bit: out-port whose last message is not counted yet
  u64 stamp = 0;      // behind the last firing
  bool done = false;  // there was one, and it is not in the books
  for (bool go = true; go;) {
    b.lead([&] {
      if (f.looks == 0) return;
      if (done) book_firing(c, stamp, set_bits(owed));
      done = false;
      c.fire_looked = static_cast<u64>(b.cycles());
      look_around<Block::may_wait>(c, m, steady_ns, f.header.handled);
    });
    // lane 0, while the words it waits for are on their way: the last firing's books, and what the next ones are to know
    const auto between = [&] {
      // all is read before anything is written: reads of shared memory that follow writes wait for each other
      const u64 cycles = static_cast<u64>(b.cycles());
      const u64 sent = f.sent + (done ? set_bits(owed) : 0);
      const u32 more = done ? 1 : 0;
      const u32 handled = f.header.handled + more;
      const u32 fired = f.fired + more;
      const u64 clock = done ? stamp : c.clock;
      const u64 fire_clock = done || c.fire_clock < clock ? clock : c.fire_clock;
      const bool last = fired + 1 >= f.most || (c.leave != 0 && fired + 1 >= f.least);
      const bool looks = looks_before<Block>(c, cycles, handled + 1);
      c.clock = clock;
      c.fire_clock = fire_clock;
      f.sent = sent;
      f.header.handled = handled;
      f.fired = fired;
      f.last = last ? 1 : 0;
      f.looks = looks ? 1 : 0;
    };
    port_books books;
    const bool lands = land_at_ports(b, c, m, f.ports, owed, f.tries, books, between);
    done = false;
    if (!lands) break;
    const bool last = f.last != 0;
    // read before the warp meets over the clock, side by side
    const u32 handler = f.handler, linked_ports = f.out_ports, handled = f.header.handled;
    const u64 self = f.self;
    const u64 clock = merge_landed(b, c, m, c.fire_clock, books);
    if constexpr (!Block::whole_links) take_from_ports(b, c, m, f.ports, owed, books);
    wide_call<Block> made{&b,
                          &c,
                          &m,
                          {&c, &m, self, 0, clock + 1, c.now_ns, handled, 0, abi::slot_alive, 0},
                          held_state(c, m, row, slot),
                          Handle::private_bytes != 0 ? mine.at : slot + row.private_at,
                          reinterpret_cast<const char*>(c[m.in]),
                          c[m.landed],
                          linked_ports,
                          ~0U};  // where something is linked, there is room
    if constexpr (records_are_built) {
      b.lead([&] {
        u32 in = 0;
        for (u32 p = 0; p < ports; ++p) in |= is_linked(c[m.ends][p]) ? 1U << p : 0;
        note_firing(c, m, self, clock + 1, linked_ports, in);
      });
    }
    handle.joined(made, handler);
    const bool sends = end_call(b, c, m, made);
    end_actor(b, c, m, made, header);
    owed = made.committed;
    stamp = made.call.stamp;
    done = true;
    go = !last && made.call.status == abi::slot_alive;
    if (!go || Block::whole_links || sends) {
      b.lead([&] {
        book_firing(c, stamp, set_bits(owed));
        f.header.status = static_cast<u16>(made.call.status);
      });
      done = false;
    }
    if constexpr (Block::whole_links) {
      take_from_ports(b, c, m, f.ports, 0, owed & ~made.written);
      count_sent(b, c, m, owed);
      owed = 0;
    }
    if (sends && c.out_top != 0 && !empties_outbox(b, c, m)) break;
  }
  b.region([](u32) {});  // all are done with the link ends
  count_sent(b, c, m, owed);
  if constexpr (Block::whole_links && !Block::in_order) {
    if (!alone) keep_near(b, c, m, row, slot);
  }
  const u32 fired = f.fired;
  mine.save(row, slot, b.lane());
  b.once([&] {
    note_in_flight(c, m, 0);
    *header = f.header;
    if (fired != 0) c[m.ends]->owed = static_cast<abi::u8>(fired < gathered ? gathered - fired : 0);
    c.count[static_cast<u32>(abi::counter::fired)] += fired;
    c.count[static_cast<u32>(abi::counter::link_taken)] += u64{fired} * f.in_ports;
    c.count[static_cast<u32>(abi::counter::link_sent)] += f.sent;
  });
  return fired;
}

/// Whether a worker that has found nothing to fire leaves it at that: something else is to be done, or nothing has come for
/// a while. All lanes.
template <class Block, class Clock>
bool leaves_off(Block& b, on_chip& c, const memory& m, Clock& steady_ns, u32 vain) {
  constexpr u32 patience = 16;  // looks, some 20 us: a whole turn takes as long as a firing
  if (!Block::may_wait || vain >= patience) return true;
  return b.broadcast([&] {
    const u64 cycles = static_cast<u64>(b.cycles());
    if (cycles - c.fire_looked > visit_look_cycles) {
      c.fire_looked = cycles;
      look_around<Block::may_wait>(c, m, steady_ns, 0);
    }
    return c.leave;
  }) != 0;
}

/// Fires what can fire among the worker's linked actors, and on a device waits a while for what others are about to send.
/// All lanes; the outbox is empty.
/// @return whether any has fired, or will as soon as words have come that are on their way.
template <class Block, class Handle, class Clock>
bool fire_linked(Block& b, on_chip& c, const memory& m, Handle& handle, Clock& steady_ns) {
  const u32 linked = c.linked;
  if (linked == 0) return false;
  const bool goes_on = Block::may_wait && linked > 1;
  abi::linked_actor* list = linked_list(c, m);
  u32 first = c.next_linked;
  if (c.gathers_anew != 0) {  // what was noted of it may be what it need not wait for any more
    b.region([&](u32 lane) {
      for (u32 i = lane; i < linked; i += b.lanes()) list[i].kind = 0;
    });
    b.once([&] { c.gathers_anew = 0; });
  }
  b.lead([&] { c.leave = 0; });  // the first look around says anew what else is to do
  bool works = false;
  u32 looked = 0;
  for (u32 vain = 0;;) {
    const bool stays = linked == 1 && c.held_type == list->type && c.held_index == list->index;
    u32 place = ~0U;
    if (agreed(c.came != 0)) {
      place = c.came - 1;  // until it is in the books: see on_chip::came
    } else if (looked < linked) {
      place = stays ? 0 : next_candidate(b, c, m, (first + looked) % linked);
    }
    if (place == ~0U) {
      looked = linked;
      if (!goes_on || !works || leaves_off(b, c, m, steady_ns, vain)) break;
      ++vain;
      looked = 0;
      continue;
    }
    abi::linked_actor* entry = list + place;
    ++looked;
    if (!stays && entry->kind != several && !could_fire(b, c, m, entry)) {
      b.once([&] {
        entry->left = ++c.visits;
        c.came = 0;
      });
      continue;
    }
    const u32 now = visit(b, c, m, handle, steady_ns, entry->type, entry->index, linked == 1);
    if (copies_in_bulk && goes_on && !finds_way(c, m))
      save_held(b, c, m);  // most likely another one comes next
    if (now != 0) {
      works = true;
      vain = 0;
      b.once([&] {
        entry->kind = 0;  // it waits for the next ones
        entry->left = ++c.visits;
        c.came = 0;
      });
      if (!Block::in_order && linked > 1 && place < abi::noted_actors)
        note_awaited(b, c, m, entry, place);
    } else {  // could_fire() looks at last words only: if they are there, the others are on their way
      b.once([&] {
        entry->kind = 0;
        entry->left = ++c.visits;
        c.came = 0;
      });
      works |= !stays || could_fire(b, c, m, entry);
    }
    if (c.pending != 0 || c.leave != 0) break;
    if (!goes_on) continue;
    first = (first + looked) % linked;
    looked = 0;
  }
  b.region([](u32) {});
  b.lead([&] { c.next_linked = (first + looked) % linked; });
  return works;
}

}  // namespace perdure::loop
