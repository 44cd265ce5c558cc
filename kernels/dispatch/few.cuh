// kernels/dispatch/few.cuh - messages that come alone: one lane handles them where they landed, and what it sends goes out at once.
// Why: a batch's steps share out work among lanes; for a message or two they take longer than the work, and a chain of
//      actors that wait for each other has never more. Those of one worker need no ring either.
// Invariant: only while nothing else is to be done before them (may_arrive), and the outbox is empty; so a pair's order holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/lone.cuh"
#include "kernels/dispatch/pressure.cuh"

namespace perdure::loop {

/// So many messages are few.
inline constexpr u32 most_few = 4;
/// Whether lane 0 handles them sooner than all lanes would: few messages, all of small actors.
inline bool are_few(const on_chip& c, const memory& m, batch taken) {
  if (taken.messages == 0 || taken.messages > most_few) return false;
  bool small = true;
  for (u32 i = 0; has_wide(m) && i < taken.messages; ++i) small &= is_small(c, m, c[m.start][i]);
  return small;
}

/// So many messages to the worker itself may join those that have landed, so that others that wait have their turn; and of
/// one call so many, since what goes to many actors is sooner handled by many lanes.
inline constexpr u32 most_joining = 32, most_joining_of_a_call = 4;

/// When a visit is: the steady clock, and the least stamp of then.
struct visit_time {
  u64 now_ns;
  u64 stamp;
};
/// @memory  relaxed: the offset may be a new one or the one before; also of who has not the baton.
inline visit_time time_of_visit(const on_chip& c, u64 now_ns) {
  const long long offset = load<order::relaxed, scope::block>(&c.clock_offset_ns);
  return {now_ns, stamp_at(now_ns + static_cast<u64>(offset))};
}

/// So many messages that the next call sends may join.
inline u32 room_of_a_call(const few_in_hand& few) {
  const u32 left = few.most > few.messages ? few.most - few.messages : 0;
  return left < most_joining_of_a_call ? left : most_joining_of_a_call;
}

/// What has landed comes into the hand of lane 0, behind a barrier after the landing. @param when  now, or when the look at what has landed began.
/// @param at  where a message that came quite alone has landed, behind all that a batch lands; else they stand from the
///            beginning of `in`.
inline few_run begin_few(on_chip& c, const memory& m, batch taken, batch_source source,
                         const visit_time& when, u32 at) {
  c.now_ns = when.now_ns;
  c.samples = 0;
  c.straight = 1;
  const u64 behind = c.ring_head + (source.from == batch_source::ring ? taken.words : 0);
  const u32 places = m.in_words / 2 - taken.messages;
  const u32 most = taken.messages + (places < most_joining ? places : most_joining);
  // none may join while one of this worker to itself stands in the ring, which they would overtake
  return {{0, taken.messages, at == 0 ? taken.words : 0, c.own_tail > behind ? 0 : most},
          merge_clock(c.clock, 0, when.stamp),
          when.now_ns,
          flight_of(c, m, 0),
          c.worker,
          0,
          {at}};
}
/// Handles the next one; or finds out who gets it, and it still is the next one.
template <class Handle>
void handle_next(on_chip& c, const memory& m, few_run& run, Handle& handle) {
  lone_message& message = run.message;
  run.few.room = room_of_a_call(run.few);
  c.few = run.few;
  const word first = message.first(c, m);
  known_receiver known = known_place(c, first);  // all of it, before it is asked for its name
  known.offset = by_now(known.offset);
  if (known.lo != first.lo) [[unlikely]] {
    get_to_know(c, m, first);
    return;
  }
  // of one that is held the clock is past its stamp
  const u64 wire = message.is_held ? run.clock : abi::wire_stamp(c[m.in][message.at + 1]);
  run.clock = merge_wire(run.clock, wire);
  ++run.done;
  run_lone(c, m, run, first, known, handle);
}
/// Passes on what was handled. Then may_arrive() says whether all that was sent has found room, else a turn is due.
inline void end_few(on_chip& c, const memory& m, batch taken, batch_source source,
                    const few_run& run) {
  store<order::relaxed, scope::system>(run.flight, u64{0});
  c.straight = 0;
  c.few.room = 0;
  pass_on(c, m, taken, source);
  count_batch(c, m, batch{run.done, 0}, run.done, run.clock);
  if (c.out_top == 0) return;
  reserved_straight(c, m);
  c.pending = outbox_used(c, m);
}

/// All of that: handles what has landed, in order. Parameters as of begin_few().
template <class Handle>
void handle_few(on_chip& c, const memory& m, batch taken, batch_source source,
                const visit_time& when, Handle& handle, u32 at = 0) {
  few_run run = begin_few(c, m, taken, source, when, at);
  PERDURE_ROLLED
  do {
    handle_next(c, m, run, handle);
  } while (run.has_next());
  end_few(c, m, taken, source, run);
}

}  // namespace perdure::loop
