// kernels/dispatch/hot_stream.cuh - a hot actor's messages, straight from the ring.
// Why: one lane handles them one after another in less time than a turn takes for a batch: what is brought, sorted and
//      noted for a batch of many actors is nothing for one. So where a batch was one actor's, those that follow are landed,
//      taken apart by all lanes, handled by one, and what it sent is delivered, with nothing else between.
// Invariant: only while nothing else is to be done first, and for a few parts, then comes a turn. Messages for other actors
//            are left to the next batch, as in defer.cuh; what is for the same actor but is not such a message ends the
//            part and stays in the ring. So a pair's order holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/handle.cuh"
#include "kernels/dispatch/hot_part.cuh"
#include "kernels/dispatch/pressure.cuh"

namespace perdure::loop {

/// So many parts without a turn, so that commands, host and timers need not wait longer than for a batch in runs; twice as many
/// where on_run() handles them, which takes less than half as long, or each may send many.
inline constexpr u32 parts_a_stream = 4;
static_assert(parts_a_stream % 2 == 0, "what is sent is delivered behind every second one");
template <class Handle>
u32 parts_of_stream(const on_chip& c, const Handle& handle) {
  if (sends_many(handle, word{c.stream.lo, 0})) return 2 * parts_a_stream;
  if constexpr (has_runs<Handle>) {
    if (rows_go_together(handle, word{c.stream.lo, 0})) return 2 * parts_a_stream;
  }
  return parts_a_stream;
}

/// A part was not worth it: a turn comes first, and behind some such parts there is no stream. Lane 0.
inline void was_vain(on_chip& c) {
  constexpr u32 most_vain = 4;
  c.stream.rests = 1;
  if (++c.stream.vain < most_vain) return;
  c.stream.vain = 0;
  c.stream.lo = 0;
}

/// Whether a turn is to be left for the stream: there is one, and nothing else to be done before. Lane 0.
inline bool may_stream(on_chip& c, const memory& m, u32 lanes) {
  const bool rests = c.stream.rests != 0;
  c.stream.rests = 0;
  if (records(m)) return false;  // a row has lost its messages' stamps
  return !rests && c.stream.lo != 0 && lanes == m.lanes && c.pending == 0 && c.out_top == 0 &&
         c.spill_head == c.spill_tail;
}

/// Runs the handler of a row's messages: by the program's own loop, or one by one, or, if it has on_run(), by that.
template <class Handle>
void handle_row(u32 handler, [[maybe_unused]] u32 words, void* state, message_row& row,
                lane_state& call, Handle& handle) {
  if constexpr (requires { handle.run(handler, state, row, call); }) {
    handle.run(handler, state, row, call);
  } else {
#if !defined(__CUDACC_RTC__)  // a device's program has one
    const auto one_by_one = [&](message_row& some) {
      some.each_as_it_came(words, call,
                           [&](const message_view& view) { handle(handler, state, view, call); });
    };
    if constexpr (has_runs<Handle>) {
      if (rows_go_together(handle, word{abi::envelope_lo(0, 0, handler, words), 0})) {
        const auto at_once = [&](const word* first, u32 count, joint_call& joint) {
          word came[32][row_words];
          for (u32 i = 0; i < count; ++i) put_together(first + i * words, words, came[i]);
          return handle.together(handler, state, count, [&](u32 i) { return came[i]; }, joint);
        };
        if (words == 2) row.in_runs<2>(call, at_once, one_by_one);
        if (words == 3) row.in_runs<3>(call, at_once, one_by_one);
        if (words == 4) row.in_runs<4>(call, at_once, one_by_one);
        return;
      }
    }
    one_by_one(row);
#endif
  }
}

/// Lane 0, and those beside it, which do the same where the program lets them: handles a part, and passes on what it was
/// taken from.
/// @param taken  from the ring. @param others  messages for others, those that were deferred before among them.
/// @param whole  each may send many: they were not taken apart.
template <class Handle>
void handle_part(on_chip& c, const memory& m, bool leads, batch taken, u32 others, u64 clock,
                 [[maybe_unused]] bool whole, Handle& handle) {
  const word first{c.stream.lo, 0};
  const u32 handler = abi::handler_of(first);
  const u32 type = c[m.handlers_here][handler].actor;
  const u32 before = c.deferred;
  const u32 all = before + taken.messages;
  const u32 end = c.stream.end < all ? c.stream.end : all;
  constexpr u32 turn = message_row::at_a_time;
  message_row row{&c, &m, end, others, m.lanes / 2 / turn * turn + turn};
  actor_in_hand who;
  who.take(0, c[m.types_here][type], slot_of(c, m, type, abi::receiver_index(first)));
  u64 stamp = clock;
  u32 least = least_of_stream(m);
  const bool reaches = agreed(who.reaches(first));
  if (agreed(reaches && whole)) {
    if constexpr (may_send_many<Handle>) {
      // it is delivered behind the part: the others are left to the next one
      const alike_run ran = call_alike(
          c, m, leads, type, who, before, clock, handle,
          [&](u32 n) { return n + 1 < end ? n + 1 : nobody; },
          [&](u32 units, u32 /*handled*/) { return units * 2 > m.chip_units; });
      if (!leads) return;
      stamp = ran.stamp;
      row.handled = ran.length;
      row.done = before + ran.length;
      row.passed = before;
      least = ran.ends ? ~0U : 1;
    }
  } else if (reaches) {
    lane_state call = begin_call(c, m, flight_of(c, m, 0), first, type, who, clock - 1, c.now_ns);
    --call.handled;  // each message counts itself
    if (leads) call.end_others_run();
    meet_alike();
    call.begin_staging(leads);
    handle_row(handler, abi::words_of(first), who.slot + who.offset, row, call, handle);
    if (!leads) return;
    call.end_staging();
    stamp = end_call(c, m, call, who.header);
    store<order::relaxed, scope::system>(flight_of(c, m, 0), u64{0});
    who.put_down();
  } else {
    if (!leads) return;
    row.done = before;
    row.passed = before;
  }
  if (row.done < all) taken.words = c[m.start][row.done] - c.deferred_words;
  taken.messages = row.done - before;
  if (taken.messages != 0) pass_on(c, m, taken, {batch_source::ring, 0});
  count_batch(c, m, batch{row.handled, taken.words}, row.handled, stamp);
  c.stream.others = row.passed;
  c.stream.more = row.handled >= least && (whole || row.done == end) ? 1 : 0;
  if (row.handled < least) {
    was_vain(c);
  } else {
    c.stream.vain = 0;
  }
  if (row.done != end || end == all) return;
  // not such a message: another handler's of the same actor, or one more for others than can be left
  const word there = c[m.in][c[m.start][end]];
  if (!is_for(c, m, there, type, abi::receiver_index(first))) {
    c.stream.more = 0;
  } else if (c.stream.lo != 0) {
    c.stream.lo = streams(c, m, handle, there) ? there.lo : 0;
    if (c.stream.lo == 0) c.stream.more = 0;
  }
}

/// Parts of the stream, until a turn is due. All lanes; not inlined, and called where little is in registers.
template <class Block, class Handle>
PERDURE_OUT_OF_LINE void run_stream(Block b, on_chip& chip, const memory& mem, Handle& handle) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  PERDURE_ROLLED
  for (u32 part = 0, most = parts_of_stream(c, handle); part < most; ++part) {
    b.lead([&] { c.stream.end = ~0U; });
    const u32 before = c.deferred;
    const bool whole = agreed(sends_many(handle, word{c.stream.lo, 0}));
    landed_part landed = land_hers(b, c, m, whole);
    if (agreed(landed.may_sort && !whole)) {
      const batch taken = land(b, c, m, c.ring_head, m.in_words / 2, own_ring(c, m));
      if (taken.messages != 0) landed = sort_part(b, c, m, taken);
    }
    bool more = false;
    if (agreed(landed.taken.messages != 0)) {
      b.alike([&](bool leads) {
        handle_part(c, m, leads, landed.taken, landed.others, landed.clock, whole, handle);
      });
      if (c.stream.others > before) defer(b, c, m, c.stream.others);
      more = c.stream.more != 0;
    } else {
      b.lead([&] {
        // where lanes do it side by side a turn may well find more behind a part that was worth it
        if (part == 0 || landed.may_sort || most == parts_a_stream) was_vain(c);
      });
    }
    // what few messages have sent goes with what the next part sends
    const bool waits = more && part % 2 == 0 && c.out_top * 4 <= m.chip_units;
    if (agreed(c.out_top != 0 && !waits)) {
      place_staged(b, c, m);
      reserve(b, c, m);
      const u32 left = write(b, c, m);
      b.lead([&] {
        c.pending = left;
        if (left == 0) clear_outbox(c);
        // what it has sent to this worker is for others, most likely
        if (!more && most != parts_a_stream && c.own_tail > c.ring_head) c.stream.rests = 1;
      });
      more = more && left == 0;
    }
    if (agreed(!more)) break;
  }
  b.region([](u32) {});
}

/// What a turn was left for: a batch of hot actors, or the stream of one.
template <class Block, class Handle>
void run_aside(Block& b, on_chip& c, const memory& m, Handle& handle) {
  if (agreed(c.stream.on != 0)) {
    run_stream(b, c, m, handle);
  } else {
    run_hot(b, c, m, handle);
  }
}

}  // namespace perdure::loop
