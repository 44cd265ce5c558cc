// kernels/dispatch/worker.cuh - one turn of the dispatch loop: poll control, deliver, take, handle, idle.
// Why: the same turn is a thread block's on a GPU, a thread's on a CPU, and a scheduler's pick in a test.
// Invariant: a batch is taken only with an empty outbox; every decision is made by lane 0 and followed by all.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/ahead.cuh"
#include "kernels/dispatch/arrival.cuh"
#include "kernels/dispatch/bring_batch.cuh"
#include "kernels/dispatch/control.cuh"
#include "kernels/dispatch/deliver.cuh"
#include "kernels/dispatch/few.cuh"
#include "kernels/dispatch/hot_stream.cuh"
#include "kernels/dispatch/looks.cuh"
#include "kernels/dispatch/overflow.cuh"
#include "kernels/dispatch/park.cuh"
#include "kernels/dispatch/pressure.cuh"
#include "kernels/dispatch/timers.cuh"
#if !defined(__CUDACC_RTC__) || PERDURE_WIDE  // NVRTC reads nothing that a program has no use for
#include "kernels/wide/fire.cuh"
#endif

namespace perdure::loop {

enum class progress : u32 { worked, idle, blocked, paused, halted, hot };

/// Prepares a worker's shared state, or brings back what it had when it was parked. One lane's work is little, so lane 0
/// does it, then a barrier.
/// @return whether it was parked.
template <class Block>
bool begin(Block& b, on_chip& c, const memory& m, u32 worker) {
  if (come_back(b, c, m, worker)) return true;
  b.once([&] {
    begin_scouts(c);
    forget_receivers(c);
    c.out_top = c.longest = c.next_places = c.samples = 0;
    c.claim_round = first_claim_round;
    c.deferred = c.deferred_words = 0;
    c.stream = {};
    c.hot = {};
    *c[m.staged] = {};
    c.dead_now = c.pending = c.over_half = c.next_lane = c.lane_ready = c.look_wait = 0;
    c.ahead = {};
    c.commanded = c.may_drop = c.refused = 0;
    c.state = state_running;
    c.worker = worker;
    c.clock = 0;
    c.ring_head = c.ring_told = c.own_tail = c.spill_head = c.spill_tail = c.host_tail = 0;
    c.timer_due = ~u64{0};
    c.stall_since = c.control_at = c.heartbeat = c.work_seen = c.epoch = 0;
    c.clock_offset_ns = load<order::relaxed, scope::system>(&m.control[worker].clock_offset_ns);
    c.question = c.attentive = 0;
    c.rest_told = 2;
    c.timer_top = m.timer_capacity;
    PERDURE_ROLLED
    for (u32 i = 0; i < abi::counters; ++i) c.count[i] = c.tally[i] = 0;
    PERDURE_ROLLED
    for (u32 i = 0; i < max_host_lanes; ++i) {
      c.lane_head[i] = c.lane_told[i] = 0;
      c.lane_want[i] = least_lane_want;
    }
    c.lanes_used =
        static_cast<u32>(load<order::relaxed, scope::system>(&m.control[worker].lanes_used));
    c.crowded = c.straight = c.arrivals = 0;
    c.few = {0, 0, 0, 0};
    c.nobody = {0, abi::slot_empty, 0};
    c.held_type = c.held_index = c.linked = c.next_linked = c.visits = c.leave = c.runs =
        c.in_runs = 0;
    c.gathers_anew = c.held_saved = 0;
    c.came = 0;
    c.most_awaited = 1;
    open_gate(c.gate);
    c.host_look_every = 1;
    c.host_looked_at = 0;
    c.fire_clock = c.fire_looked = 0;
  });
  b.region([&](u32 lane) {
    forget_claims(c, m, lane, b.lanes());
    PERDURE_ROLLED
    for (u32 i = lane; i <= m.type_count; i += b.lanes()) c[m.types_here][i] = m.types[i];
    PERDURE_ROLLED
    for (u32 i = lane; i < m.handler_count; i += b.lanes()) c[m.handlers_here][i] = m.handlers[i];
    PERDURE_ROLLED  // nothing is spawned that has not been told by a command: see bring_chunks()
        for (u32 i = lane; i < (m.type_count + 1) * m.chunks_each; i += b.lanes())
            c[m.chunks_here][i] = nullptr;
    if constexpr (wide_is_built) {
      for (u32 i = lane; i < m.cache_ways; i += b.lanes()) c[m.cached][i] = {};
    }
    PERDURE_ROLLED
    for (u32 i = lane; i < destinations(m); i += b.lanes()) c[m.out_count][i] = 0;
    PERDURE_ROLLED
    for (u32 i = lane; i <= m.workers; i += b.lanes()) c[m.known_head][i] = 0;
    PERDURE_ROLLED
    for (u32 i = lane; i < m.timer_capacity; i += b.lanes()) {
      const u64 at = static_cast<u64>(worker) * m.timer_capacity + i;
      m.timers[at].due_ns = 0;
      m.timer_free[at] = i;
    }
    if constexpr (places_are_built) begin_traffic(c, m, lane, b.lanes());
  });
  return false;
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

/// What a poll of the ring and one host lane finds now, if it may be handled at once: for blocks that need no warp to
/// look. Behind a barrier. Few messages are handled here.
template <class Block, class Handle>
arrival poll_once(Block& b, on_chip& c, const memory& m, u64 now, Handle& handle) {
  arrival found;
  // one lane looks for all: who leaves here goes on to a turn that writes to what was looked at
  const u32 free = b.broadcast([&] { return may_arrive(c) && c.timer_due > c.now_ns ? 1U : 0U; });
  if (free == 0) return found;
  found.taken = land(b, c, m, c.ring_head, b.lanes(), own_ring(c, m));
  if (found.taken.messages != 0) {
    found.source.from = batch_source::ring;
  } else {
    constexpr u32 none = ~0U;
    const u32 which = b.broadcast([&] {  // one look at what others change, for all lanes
      if (c.lanes_used == 0 || load<order::relaxed, scope::device>(m.pressure) != 0) return none;
      return c.next_lane < c.lanes_used ? c.next_lane : 0;
    });
    if (which == none) return found;
    found.taken = land(b, c, m, c.lane_head[which], b.lanes(), own_lane(c, m, which));
    if (found.taken.messages != 0) found.source = {batch_source::lane, which};
    b.once([&] { c.next_lane = which + 1; });
  }
  if (!are_few(c, m, found.taken)) return found;
  b.region([](u32) {});  // all have looked at what is few before it is handled
  b.once([&] { handle_few(c, m, found.taken, found.source, time_of_visit(c, now), handle); });
  found = arrival{};
  found.handled = true;
  return found;
}

/// Lands one batch.
template <class Block>
batch take(Block& b, on_chip& c, const memory& m, batch_source source) {
#ifdef PERDURE_BREAK_HEAD  // deliberate break: tests must notice
  b.lead([&] {
    if (source.from == batch_source::ring)
      store<order::relaxed, scope::device>(&m.heads[c.worker].value, c.ring_head + m.in_words);
  });
#endif
  u64 from = c.ring_head;
  word_source words = own_ring(c, m);
  if (source.from == batch_source::spill) {
    from = c.spill_head;
    words = words_spilled(own_spill(c, m), m.spill_shift, c.spill_tail);
  } else if (source.from == batch_source::lane) {
    from = c.lane_head[source.lane_number];
    words = own_lane(c, m, source.lane_number);
    if (lands_ahead<Block> && lane_ahead(c, m) == source.lane_number + 1) words = own_ahead(c, m);
  }
  const batch taken = land(b, c, m, from, b.lanes(), words);
  b.lead([&] {  // they are on chip: while they are handled the host may write where they stood
    if (source.from != batch_source::lane) return;
    tell_lane(c, m, source.lane_number, from + taken.words);
    if constexpr (lands_ahead<Block>) {
      c.ahead.used += words.kind == word_source::chip ? 1 : 0;
      note_taken(c, m, source.lane_number, taken);
    }
  });
  return taken;
}

/// Handles a batch, which is what was deferred and what has landed behind it, and passes the source of that on.
/// @param has_run  and the answer: as of handle_batch().
template <class Block, class Handle>
bool handle_taken(Block& b, on_chip& c, const memory& m, batch taken, batch_source source, u64 now,
                  Handle& handle, bool has_run) {
  const batch all{c.deferred + taken.messages, taken.words};
  if (!has_run) bring_from<Handle>(b, c, m, source, all.messages);
  const u64 clock = has_run ? c.hot.clock
                            : merge(b, c, m, all, now + static_cast<u64>(c.clock_offset_ns),
                                    [&] { c.longest = 1; });
  const auto pass = [&] {
    if (taken.messages != 0) pass_on(c, m, taken, source);
  };
  if (handle_batch(b, c, m, all, clock, now, handle, pass, has_run)) return true;
  b.once([&] {
    c.hot = {clock,       taken.messages,     taken.words,
             source.from, source.lane_number, c.hot.places,
             c.hot.late,  c.hot.is_one_chain, 0};
  });
  return false;
}

/// One turn behind its look at the command word. @param now  lane 0's. @param has_run  it goes on behind run_hot().
template <class Block, class Handle>
progress act(Block& b, on_chip& c, const memory& m, Handle& handle, u64 now, const arrival& here,
             bool has_run) {
  constexpr u32 look = 1;
  constexpr u32 undelivered = 2;
  constexpr u32 due = 4;
  constexpr u32 spilled = 8;
  constexpr u32 whole = 16;
  constexpr u32 streams = 32;
  constexpr u32 left_over = 64;  // of a chain, which is the only one of its batch
  constexpr u32 lane_shift = 8;
  constexpr u32 none = 0;
  const bool arrived = agreed(here.source.from != batch_source::nowhere);
  if constexpr (hot_is_built && !Block::in_order) {
    if (has_run && agreed(c.stream.on != 0)) {
      b.region([](u32) {});  // all have looked before the next turn says what is on
      return progress::worked;
    }
  }
  const u32 plan = has_run ? none : b.broadcast([&] {
    c.now_ns = now;
    c.crowded = here.crowded ? 1 : 0;
    if (c.pending == 0) c.samples = 0;
    if constexpr (hot_is_built && !Block::in_order) c.stream.on = 0;
    if (arrived) return none;
    // a scout may have left such a message to it
    const bool for_all = may_send_many<Handle> && (here.for_all || c.lane_ready != 0);
    if (b.lanes() < m.lanes && (for_all || lane_has_much(c, m))) return whole;
    const u32 lane = c.lane_ready;
    c.lane_ready = 0;
    u32 on = none;
    if constexpr (hot_is_built && !Block::in_order) {
      if (lane == 0 && c.timer_due > now && may_stream(c, m, b.lanes())) on = streams;
      if (c.hot.left != 0 && c.deferred != 0) on |= left_over;
    }
    return on | (c.commanded != 0 ? look : none) | (c.pending != 0 ? undelivered : none) |
           (c.timer_due <= now ? due : none) | (c.spill_tail != c.spill_head ? spilled : none) |
           lane << lane_shift;
  });
  if (agreed(plan == whole)) return progress::blocked;  // who is called takes it
  u32 done = 0;
  lane_look looked;
  [[maybe_unused]] ring_look ring;
  batch taken = here.taken;
  batch_source source = here.source;
  bool handled = true;
  // behind what the stream has left of others' there is nothing to take but by the stream
  const bool streaming = hot_is_built && agreed((plan & streams) != 0);
  if (has_run) {
    taken = {c.hot.messages, c.hot.words};
    source = {static_cast<batch_source::place>(c.hot.from), c.hot.lane_number};
  } else if (!arrived) {
    if (agreed((plan & look) != 0)) obey(b, c, m);
    const u32 state = c.state;
    if (agreed(state >= state_halted)) return progress::halted;
    if (agreed(state == state_paused)) return progress::paused;
    if (agreed((plan & undelivered) != 0)) return press_on(b, c, m);
    constexpr u32 timers_a_turn = 64;
    if constexpr (timers_are_built) {
      if (agreed((plan & due) != 0)) done += fire_timers(b, c, m, c.now_ns, timers_a_turn);
    }
    // a lane was looked at by the turn before, so ring or spill had their turn; or see ahead.cuh
    source.from = plan >> lane_shift != 0 ? batch_source::lane
                  : (plan & spilled) != 0 ? batch_source::spill
                                          : batch_source::ring;
    source.lane_number = (plan >> lane_shift) - 1;
    // after a turn for a lane mostly comes one for the ring, which looks at the next lane
    b.lead([&] {
      if (source.from == batch_source::lane || c.lanes_used == 0) return;
      if (c.look_wait != 0) {
        --c.look_wait;
      } else {
        begin_look(c, m, looked);
      }
    });
    if (!streaming && (plan & left_over) == 0) taken = take(b, c, m, source);
  }
  const u32 messages = taken.messages + c.deferred;
  if constexpr (Block::in_order) {  // it does not poll: what comes alone comes here
    if (are_few(c, m, taken) && may_arrive(c) && c.out_top == 0) {
      handle_few(c, m, taken, source, time_of_visit(c, c.now_ns), handle);
      note_look(c, m, looked);
      pace_lane_looks<Block>(c, looked, taken.messages);
      return progress::worked;
    }
  }
  if (agreed(messages != 0)) {
    handled = handle_taken(b, c, m, taken, source, c.now_ns, handle, has_run);
    done += messages;
  } else if (streaming) {
    handled = false;
    b.once([&] { c.stream.on = 1; });
  }
  b.lead([&] {
    if (has_run) return;
    note_look(c, m, looked);
    pace_lane_looks<Block>(c, looked, taken.messages);
  });
  if (agreed(!handled)) return progress::hot;
  if constexpr (lands_ahead<Block>) {
    b.lead([&] {
      if (source.from == batch_source::lane && !arrived) begin_look(c, m, ring);
    });
  }
  const bool defers = c.deferred != 0;  // those wait for the next turn
  // what comes after few messages comes alone, too, and a poll has it sooner than a turn
  const bool polls_next = Block::polls && source.from == batch_source::ring && are_few(c, m, taken);
  // a host lane that has something is for the next turn, not for a poll, which would look for it once more
  const auto rest = [&] {
    return b.broadcast([&] { return c.lane_ready; }) != 0 ? progress::worked : progress::idle;
  };
  if (agreed(c.out_top == 0)) {
    if constexpr (lands_ahead<Block>) b.lead([&] { note_look(c, m, ring); });
    if (defers) return progress::worked;
    if (polls_next) return rest();
    if (arrived) return here.crowded ? progress::worked : progress::idle;
    return done != 0 || source.from == batch_source::lane ? progress::worked : rest();
  }
  reserve(b, c, m);
  const u32 left = write(b, c, m);
  b.lead([&] {  // the next turn begins with a barrier
    c.pending = left;
    if (left != 0) return;
    clear_outbox(c);
    if constexpr (lands_ahead<Block>) note_look(c, m, ring);
  });
  if (left != 0 || defers) return progress::worked;
  if (polls_next) return rest();
  return arrived && !here.crowded ? progress::idle : progress::worked;
}

/// One turn, but for a hot batch: then the answer is `hot`, and run_hot() and this once more, with `has_run`, end it.
/// @param handle  the program's handlers.  @param steady_ns  nanoseconds of a clock that never falls.
/// @param here  what a poll has landed since the last turn, if may_arrive() held then; the turn then does nothing else,
///              and if that is soon done the answer is `idle`: poll again.
template <class Block, class Handle, class Clock>
progress turn_until_hot(Block& b, on_chip& c, const memory& m, Handle& handle, Clock& steady_ns,
                        const arrival& here, bool has_run) {
  command_look look;
  u64 now = 0;
  b.lead([&] {  // read since the last turn's barriers by nobody else
    now = steady_ns();
    if (!has_run && now >= c.control_at) begin_look(c, m, now, look);
  });
  progress did = progress::idle;
  // else the poll has looked at all else
  if (!handles_wide<Handle> || agreed(c.came == 0 || c.pending != 0))
    did = act(b, c, m, handle, now, here, has_run);
  b.lead([&] {
    if (!note_look(c, look)) return;
    const u64 answered = steady_ns();
    tell_time(c, m, answered);
    if (answered - now > long_turn_ns) answer_row(c, m, steady_ns);
  });
  if constexpr (handles_wide<Handle>) {
    if (has_wide(m) && (did == progress::worked || did == progress::idle)) {
      b.lead([&] {
        if (c.came != 0) looked_around(b, c, now);
      });
      b.region([](u32) {});  // lane 0 has said what is pending: all fire, or nobody
      if (c.pending == 0 && fire_linked(b, c, m, handle, steady_ns)) did = progress::worked;
    }
  }
  return did;
}

/// One turn, whatever its batch is.
template <class Block, class Handle, class Clock>
progress turn(Block& b, on_chip& c, const memory& m, Handle& handle, Clock& steady_ns,
              const arrival& here = {}) {
  progress did = turn_until_hot(b, c, m, handle, steady_ns, here, false);
  if constexpr (!Block::in_order) {
    if (did == progress::hot) {
      run_aside(b, c, m, handle);
      did = turn_until_hot(b, c, m, handle, steady_ns, here, true);
    }
  }
  return did;
}

}  // namespace perdure::loop
