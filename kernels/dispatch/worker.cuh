// kernels/dispatch/worker.cuh - one turn of the dispatch loop: poll control, deliver, take, handle, idle.
// Why: the same turn is a thread block's on a GPU, a thread's on a CPU, and a scheduler's pick in a test.
// Invariant: a batch is taken only with an empty outbox; every decision is made by lane 0 and followed by all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/bridge.cuh"
#include "kernels/dispatch/control.cuh"
#include "kernels/dispatch/deliver.cuh"
#include "kernels/dispatch/handle.cuh"
#include "kernels/dispatch/pressure.cuh"
#include "kernels/dispatch/timers.cuh"

namespace perdure::loop {

enum class progress : u32 { worked, idle, blocked, paused, halted };

/// Prepares a worker's shared state. One lane's work is little, so lane 0 does it, then a barrier.
template <class Block>
void begin(Block& b, on_chip& c, const memory& m, u32 worker) {
  b.once([&] {
    c.out_top = c.clock_steps[0] = c.clock_steps[1] = c.samples = 0;
    c.claim_round = first_claim_round;
    c.dead_now = c.forwarded_now = c.pending = c.over_half = c.next_lane = 0;
    c.commanded = 0;
    c.state = state_running;
    c.worker = worker;
    c.clock = 0;
    c.ring_head = c.ring_told = c.spill_head = c.spill_tail = c.host_tail = 0;
    c.timer_due = ~u64{0};
    c.stall_since = c.control_at = c.heartbeat = c.epoch = 0;
    c.clock_offset_ns = load<order::relaxed, scope::system>(&m.control[worker].clock_offset_ns);
    c.timer_top = m.timer_capacity;
    for (u32 i = 0; i < abi::counters; ++i) c.count[i] = c.tally[i] = 0;
    for (u32 i = 0; i < max_own_lanes; ++i) c.lane_head[i] = c.lane_told[i] = 0;
    c.crowded = c.straight = c.arrivals = 0;
  });
  b.region([&](u32 lane) {
    for (u32 i = lane; i < m.claim_slots; i += b.lanes()) c[m.claim][i] = ~0U;
    for (u32 i = lane; i < groups; i += b.lanes()) c[m.group][i] = 0;
    for (u32 i = lane; i <= m.type_count; i += b.lanes()) c[m.types_here][i] = m.types[i];
    for (u32 i = lane; i < m.handler_count; i += b.lanes()) c[m.handlers_here][i] = m.handlers[i];
    for (u32 i = lane; i <= m.workers; i += b.lanes()) {
      c[m.out_count][i] = 0;
      c[m.known_head][i] = 0;
    }
    for (u32 i = lane; i < m.timer_capacity; i += b.lanes()) {
      const u64 at = static_cast<u64>(worker) * m.timer_capacity + i;
      m.timers[at].due_ns = 0;
      m.timer_free[at] = i;
    }
  });
}

/// While the outbox is not empty: deliver what fits, else make room for others. See pressure.cuh.
template <class Block>
PERDURE_OUT_OF_LINE progress press_on(Block b, on_chip& chip, const memory& mem) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 before = c.pending;
  const u32 left = write(b, c, m);
  if (left == 0) {
    b.once([&] {
      clear_outbox(c);
      c.stall_since = 0;
    });
    return progress::worked;
  }
  bool starved = false;
  const u32 absorbed = absorb(b, c, m, starved);
  const bool moved = left < before || absorbed != 0;
  const u32 spent = b.broadcast([&] {
    c.pending = left;
    if (moved || !starved) {
      c.stall_since = 0;
    } else if (c.stall_since == 0) {
      c.stall_since = c.now_ns;
    }
    return u32{c.stall_since != 0 && c.now_ns - c.stall_since >= m.stall_ns};
  });
  if (spent != 0) exhaust(b, c, m);
  b.region([](u32) {});
  return moved || spent != 0 ? progress::worked : progress::blocked;
}

/// What an idle poll has found, landed on chip, with nothing else to do before it. See idle.cuh.
struct arrival {
  enum place : u32 { nowhere, ring, lane };
  place from = nowhere;
  batch taken{0, 0};
  u32 lane_number = 0;  ///< of this worker's host lanes
  bool crowded = false;   ///< it filled all that was looked at
};

/// Whether this worker may handle an arrival at once: no command, no spill and no undelivered message before it.
inline bool may_arrive(const on_chip& c) {
  return c.state == state_running && c.commanded == 0 && c.pending == 0 &&
         c.spill_head == c.spill_tail;
}

/// What a poll of the ring finds now, if it may be handled at once: for blocks that need no warp to look.
template <class Block>
arrival poll_ring(Block& b, on_chip& c, const memory& m) {
  arrival found;
  if (!may_arrive(c) || c.timer_due <= c.now_ns) return found;
  found.taken = land(b, c, m, c.ring_head, b.lanes(), own_ring(c, m));
  if (found.taken.messages != 0) found.from = arrival::ring;
  return found;
}

/// Lands one batch, from the spill while it holds anything.
template <class Block>
batch take(Block& b, on_chip& c, const memory& m, bool spilled) {
#ifdef PERDURE_BREAK_HEAD  // deliberate break: tests must notice
  b.lead([&] {
    if (!spilled)
      store<order::relaxed, scope::device>(&m.heads[c.worker].value, c.ring_head + m.in_words);
  });
#endif
  return land(b, c, m, spilled ? c.spill_head : c.ring_head, b.lanes(),
              spilled ? words_spilled(own_spill(c, m), m.spill_shift, c.spill_tail)
                      : own_ring(c, m));
}

/// Handles a landed batch and passes its source on.
template <class Block, class Handle>
void handle_taken(Block& b, on_chip& c, const memory& m, batch taken, bool spilled, u64 now,
                  Handle& handle) {
  const u64 clock = merge(b, c, m, taken, now + static_cast<u64>(c.clock_offset_ns), [&] {
    c.straight = taken.messages == 1 && c.out_top == 0 ? 1 : 0;
    if (spilled) {
      c.spill_head += taken.words;
      report_pressure(c, m);
    } else {
      advance_ring(c, m, taken.words);
    }
  });
  handle_batch(b, c, m, taken, clock, now, handle);
}

/// How many host lanes this worker serves: lanes worker, worker + workers, ...
inline u32 own_lanes(const on_chip& c, const memory& m) {
  return c.worker < m.host_lane_count ? (m.host_lane_count - c.worker + m.workers - 1) / m.workers
                                      : 0;
}

/// A look at a host lane that was begun at the start of the turn, so that nobody waits for the bus. Lane 0's.
struct host_look {
  word seen;
  bool under_way = false;
};

template <class Block>
void begin_look(Block& b, const on_chip& c, const memory& m, host_look& look) {
  b.lead([&] {
    const host_lane& source = m.host_lanes[c.worker + c.next_lane * m.workers];
    look.seen = load<order::relaxed, scope::system>(
        &source.words[c.lane_head[c.next_lane] & ((u64{1} << source.shift) - 1)]);
    look.under_way = true;
  });
}

/// Takes from one of this worker's host lanes, each in its turn, while no worker's spill is over half full.
/// @return messages.
template <class Block>
u32 serve_hosts(Block& b, on_chip& c, const memory& m, const host_look& look) {
  constexpr u32 none = ~0U;
  const u32 which = b.broadcast([&] {
    if (c.straight != 0 && c.out_top != 0) return none;  // what is kept there has its places already
    c.straight = 0;
    const u32 next = c.next_lane;
    c.next_lane = (next + 1) % own_lanes(c, m);
    const host_lane& source = m.host_lanes[c.worker + next * m.workers];
    const bool there = abi::is_ready(look.seen, c.lane_head[next], source.shift);
    const bool room = c.out_top + 2 * m.lanes <= m.out_units;
    if (!there || !room || load<order::relaxed, scope::device>(m.pressure) != 0) return none;
    return next;
  });
  if (which == none) return 0;
  const batch taken = land_host_lane(b, c, m, which);
  if (taken.messages != 0) forward_host_lane(b, c, m, which, taken);
  return taken.messages;
}

/// One turn behind its look at the command word. @param now  lane 0's.
template <class Block, class Handle>
progress act(Block& b, on_chip& c, const memory& m, Handle& handle, u64 now, const arrival& here) {
  constexpr u32 look = 1;
  constexpr u32 undelivered = 2;
  constexpr u32 due = 4;
  constexpr u32 spilled = 8;
  constexpr u32 hosts = 16;
  constexpr u32 none = 0;
  const bool arrived = here.from != arrival::nowhere;
  const u32 plan = b.broadcast([&] {
    c.now_ns = now;
    c.crowded = here.crowded ? 1 : 0;
    c.straight = 0;
    if (arrived) return none;
    return (c.commanded != 0 ? look : none) | (c.pending != 0 ? undelivered : none) |
           (c.timer_due <= now ? due : none) | (c.spill_tail != c.spill_head ? spilled : none) |
           (c.worker < m.host_lane_count ? hosts : none);
  });
  u32 done = 0;
  host_look looked;
  batch taken = here.taken;
  if (!arrived) {
    if ((plan & look) != 0) obey(b, c, m);
    const u32 state = c.state;
    if (state == state_halted) return progress::halted;
    if (state == state_paused) return progress::paused;
    if ((plan & undelivered) != 0) return press_on(b, c, m);
    if ((plan & hosts) != 0) begin_look(b, c, m, looked);
    constexpr u32 timers_a_turn = 64;
    if ((plan & due) != 0) done += fire_timers(b, c, m, c.now_ns, timers_a_turn);
    taken = take(b, c, m, (plan & spilled) != 0);
  } else if (here.from == arrival::lane) {
    forward_host_lane(b, c, m, here.lane_number, taken);
    done = 1;
    taken.messages = 0;
  }
  if (taken.messages != 0) {
    handle_taken(b, c, m, taken, (plan & spilled) != 0, c.now_ns, handle);
    done += taken.messages;
  }
  if ((plan & hosts) != 0) done += serve_hosts(b, c, m, looked);
  if (c.out_top == 0) return done != 0 && !arrived ? progress::worked : progress::idle;
  if (c.straight != 0) {
    reserved_straight(b, c, m);
  } else {
    reserve(b, c, m);
  }
  const u32 left = write(b, c, m);
  b.lead([&] {  // the next turn begins with a barrier
    c.pending = left;
    if (left == 0) clear_outbox(c);
  });
  return arrived && left == 0 && !here.crowded ? progress::idle : progress::worked;
}

/// One turn. @param handle  the program's handlers.  @param steady_ns  nanoseconds of a clock that never falls.
/// @param here  what a poll has landed since the last turn, if may_arrive() held then; the turn then does nothing else,
///              and if that is soon done the answer is `idle`: poll again.
template <class Block, class Handle, class Clock>
progress turn(Block& b, on_chip& c, const memory& m, Handle& handle, Clock& steady_ns,
              const arrival& here = {}) {
  u64 seen = 0;
  u64 now = 0;
  bool looked = false;
  b.lead([&] {  // read since the last turn's barriers by nobody else
    now = steady_ns();
    looked = now >= c.control_at;
    if (looked) seen = begin_look_at_command(c, m, now);
  });
  const progress did = act(b, c, m, handle, now, here);
  b.lead([&] {
    if (looked) note_look(c, seen);
  });
  return did;
}

}  // namespace perdure::loop
