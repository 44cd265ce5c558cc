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
    c.entries = c.out_top = c.host_entries = c.clock_steps[0] = c.clock_steps[1] = c.samples = 0;
    c.dead_now = c.forwarded_now = c.pending = c.over_half = c.next_lane = 0;
    c.commanded = 0;
    c.state = state_running;
    c.worker = worker;
    c.workers = m.workers;
    c.out_capacity = m.out_capacity;
    c.chip_out_words = m.chip_out_words;
    c.chip_entries = m.chip_entries;
    c.far_words = m.out_words + static_cast<u64>(worker) * m.out_capacity;
    c.far_entries = m.out_entries + static_cast<u64>(worker) * (m.out_capacity / 2);
    c.clock = 0;
    c.ring_head = c.ring_told = c.spill_head = c.spill_tail = c.host_tail = 0;
    c.timer_due = ~u64{0};
    c.stall_since = c.control_at = c.heartbeat = c.epoch = 0;
    c.clock_offset_ns = load<order::relaxed, scope::system>(&m.control[worker].clock_offset_ns);
    c.timer_top = m.timer_capacity;
    for (u32 i = 0; i < abi::counters; ++i) c.count[i] = 0;
    for (u32 i = 0; i < max_own_lanes; ++i) c.lane_head[i] = c.lane_told[i] = 0;
    c.woken = c.landed = c.crowded = 0;
  });
  b.region([&](u32 lane) {
    for (u32 i = lane; i < m.claim_slots; i += b.lanes()) c.claim[i] = ~0U;
    for (u32 i = lane; i <= m.type_count; i += b.lanes()) c.types[i] = m.types[i];
    for (u32 i = lane; i < m.handler_count; i += b.lanes()) c.handlers[i] = m.handlers[i];
    for (u32 i = lane; i <= m.workers; i += b.lanes()) {
      c.out_count[i] = 0;
      c.known_head[i] = 0;
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
PERDURE_OUT_OF_LINE progress press_on(Block b, on_chip& c, const memory& m) {
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
  const u64 spent = b.broadcast([&] {
    c.pending = left;
    if (moved || !starved) {
      c.stall_since = 0;
    } else if (c.stall_since == 0) {
      c.stall_since = c.now_ns;
    }
    return u64{c.stall_since != 0 && c.now_ns - c.stall_since >= m.stall_ns};
  });
  if (spent != 0) exhaust(b, c, m);
  b.region([](u32) {});
  return moved || spent != 0 ? progress::worked : progress::blocked;
}

/// Takes one batch, from the spill while it holds anything, and handles it. @return messages.
template <class Block, class Handle>
u32 take_and_handle(Block& b, on_chip& c, const memory& m, bool spilled, u32 landed,
                    Handle& handle) {
#ifdef PERDURE_BREAK_HEAD  // deliberate break: tests must notice
  b.lead([&] {
    if (!spilled)
      store<order::relaxed, scope::device>(&m.heads[c.worker].value, c.ring_head + c.in_words);
  });
#endif
  const u64 from = spilled ? c.spill_head : c.ring_head;
  const word_source source = spilled ? words_spilled(own_spill(c, m), m.spill_shift, c.spill_tail)
                             : landed != 0 ? words_landed(c, from, landed, m.ring_shift)
                                           : own_ring(c, m);
  const batch taken =
      land(b, c, from, b.lanes(), source, landed != 0 && !spilled ? 1 : words_a_lane);
  if (taken.messages == 0) return 0;
  const u64 now = c.now_ns;
  const u64 clock = merge(b, c, taken, now + static_cast<u64>(c.clock_offset_ns), [&] {
    if (spilled) {
      c.spill_head += taken.words;
      report_pressure(c, m);
    } else {
      advance_ring(c, m, taken.words);
    }
  });
  handle_batch(b, c, m, taken, clock, now, handle);
  return taken.messages;
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
/// @param landed  words of lane `next_lane` that the idle poll has landed, or 0. @return messages.
template <class Block>
u32 serve_hosts(Block& b, on_chip& c, const memory& m, u32 landed, const host_look& look) {
  const u64 chosen = b.broadcast([&] {
    const u32 which = c.next_lane;
    c.next_lane = (which + 1) % own_lanes(c, m);
    const host_lane& source = m.host_lanes[c.worker + which * m.workers];
    const bool there = landed != 0 || (look.under_way &&
                                       abi::is_ready(look.seen, c.lane_head[which], source.shift));
    const bool room = c.out_top + c.in_words <= m.out_capacity;
    if (!there || !room || load<order::relaxed, scope::device>(m.pressure) != 0) return ~u64{0};
    return u64{which};
  });
  return chosen == ~u64{0} ? 0 : forward_host_lane(b, c, m, static_cast<u32>(chosen), landed);
}

/// One turn behind its look at the command word.
template <class Block, class Handle, class Clock>
progress act(Block& b, on_chip& c, const memory& m, Handle& handle, Clock& steady_ns) {
  constexpr u64 look = 1;
  constexpr u64 undelivered = 2;
  constexpr u64 due = 4;
  constexpr u64 spilled = 8;
  constexpr u64 hosts = 16;
  constexpr u64 none = 0;
  const u64 plan = b.broadcast([&] {
    const u64 now = steady_ns();
    c.now_ns = now;
    const u64 polled = u64{c.woken} << 8U | u64{c.landed} << 16U;
    c.woken = c.landed = c.crowded = 0;
    return (c.commanded != 0 ? look : none) | (c.pending != 0 ? undelivered : none) |
           (c.timer_due <= now ? due : none) | (c.spill_tail != c.spill_head ? spilled : none) |
           (c.worker < m.host_lane_count ? hosts : none) | polled;
  });
  const u32 woken = static_cast<u32>(plan >> 8U & 0xffU);
  const u32 landed = static_cast<u32>(plan >> 16U);
  if ((plan & look) != 0) obey(b, c, m);
  const u32 state = c.state;
  if (state == state_halted) return progress::halted;
  if (state == state_paused) return progress::paused;
  if ((plan & undelivered) != 0) return press_on(b, c, m);

  host_look looked;
  const bool serves = (plan & hosts) != 0 && woken != ring_words;
  if (serves && landed == 0) begin_look(b, c, m, looked);
  constexpr u32 timers_a_turn = 64;
  u32 done = (plan & due) != 0 ? fire_timers(b, c, m, c.now_ns, timers_a_turn) : 0;
  // what an idle poll has landed is used first, before anything else lands over it
  if (woken != lane_words) {
    done +=
        take_and_handle(b, c, m, (plan & spilled) != 0, woken == ring_words ? landed : 0, handle);
  }
  if (serves) done += serve_hosts(b, c, m, landed, looked);
  if (c.entries == 0) return done != 0 ? progress::worked : progress::idle;
  reserve(b, c, m);
  const u32 left = write(b, c, m);
  b.lead([&] {  // the next turn begins with a barrier
    c.pending = left;
    if (left == 0) clear_outbox(c);
  });
  return progress::worked;
}

/// One turn. @param handle  the program's handlers.  @param steady_ns  nanoseconds of a clock that never falls.
template <class Block, class Handle, class Clock>
progress turn(Block& b, on_chip& c, const memory& m, Handle& handle, Clock& steady_ns) {
  u64 seen = 0;
  bool looked = false;
  b.lead([&] {  // read since the last turn's barriers by nobody else
    looked = steady_ns() >= c.control_at;
    if (looked) seen = begin_look_at_command(c, m, steady_ns);
  });
  const progress did = act(b, c, m, handle, steady_ns);
  b.lead([&] {
    if (looked) note_look(c, seen);
  });
  return did;
}

}  // namespace perdure::loop
