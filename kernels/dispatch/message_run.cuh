// kernels/dispatch/message_run.cuh - messages of one actor and one handler that follow one another in a chain.
// Why: of a hot actor's messages each waits for the one before. Looked up once, with its state in registers, and with
//      the next messages on their way while one is handled, they take no more than the handler does.
// Invariant: each message of the run is handled as if it came alone: its own stamp, sender, number and random draws.
// Source: a chase of pointers, pipelined by hand: places two ahead, words one ahead.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/message_row.cuh"

namespace perdure::loop {

/// Whether a batch is handled by runs: most of its messages come behind another one of the same actor. Others would only
/// pay for it.
/// @param late  of them, how many those are. @tparam Block  no batch of one group of lanes: a poll's are short.
template <class Block>
constexpr bool is_hot(u32 messages, u32 late) {
  return messages > Block::side_by_side && late * 2 > messages;
}

/// Whether all messages of a batch are one lane's, and few: nobody else is at work, so what it sends can be staged.
template <class Block>
bool is_one_chain(const Block& b, const memory& m, u32 messages, u32 late) {
  return late + 1 == messages && messages <= Block::group_above && b.lanes() == m.lanes;
}

/// One run. A program's code goes through it by each().
struct message_run {
  on_chip* chip;
  const memory* mem;
  u32 n;  ///< of the batch: the first message, and then the first behind the run, or `nobody`
  u32 length = 0;  ///< messages handled, or lost before it

  /// f(words, view) for the first message, whose call has begun, and for those behind it while they are for the same actor
  /// and handler and the actor lives. @tparam Ahead  of each message's words so many are in `words`.
  template <u32 Ahead, class F>
  void each(lane_state& call, F f) {
    on_chip& c = here(*chip);
    const memory& m = here(*mem);
    const word* in = c[m.in];
    const auto* start = c[m.start];
    const auto* next = c[m.next];
    u32 n1 = next[n];
    const auto there = [&](u32 which) { return which == nobody ? n : which; };
    u32 n2 = next[there(n1)];
    u32 at = start[n];
    u32 at1 = start[there(n1)];
    word now[Ahead];
    word then[Ahead];
    fetch(now, in + at);
    const u64 lo = now[0].lo;  // receiver, generation, handler and length
    PERDURE_ROLLED
    for (;;) {
      // on their way while this message is handled
      fetch(then, in + at1);
      const u32 at2 = start[there(n2)];
      const u32 n3 = next[there(n2)];
      call.asker = abi::sender_of(now[0]);
      note_message(c, m, call.self, call.asker, call.stamp, abi::wire_stamp(in[at + 1]));
      f(now, message_view{in + at, mem, abi::words_of(now[0])});
      ++length;
      if (n1 == nobody || then[0].lo != lo || call.status != abi::slot_alive) break;
      ++call.stamp;
      ++call.handled;
      call.draws = 0;
      n = n1;
      n1 = n2;
      n2 = n3;
      at = at1;
      at1 = at2;
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
      for (u32 k = 0; k < Ahead; ++k) now[k] = then[k];
    }
    n = n1;
  }

 private:
  template <u32 Ahead>
  static void fetch(word (&to)[Ahead], const word* from) {
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 k = 0; k < Ahead; ++k) to[k] = from[k];
  }
};

/// Runs the handler of a run's messages: by the program's own loop, or one by one.
template <class Handle>
void handle_run(u32 handler, void* state, message_run& run, lane_state& call, Handle& handle) {
  if constexpr (requires { handle.run(handler, state, run, call); }) {
    handle.run(handler, state, run, call);
  } else {
    on_chip& c = *run.chip;
    const memory& m = *run.mem;
    run.each<1>(call, [&](const auto&, const message_view& view) {
      handle(handler, state, view, call);
      if (c[m.handlers_here][handler].bytes > abi::inline_payload) give_buffer(m, view.handle());
    });
  }
}

/// Whether a message is for a hot actor: on a device for a type that says so. Where handlers do not tell, all are: in tests, and
/// on a CPU that stands in for a device, so that those try this with every program.
template <class Handle>
bool is_for_hot(const Handle& handle, word first) {
  if constexpr (requires { handle.is_hot(0U); }) {
    return handle.is_hot(abi::handler_of(first));
  } else {
    return true;
  }
}
/// Whether on_run() handles such messages where they come as a hot actor's stream: on a device if the state is small, too.
template <class Handle>
bool rows_go_together(const Handle& handle, word first) {
  if constexpr (requires { handle.rows_go_together(0U); }) {
    return handle.rows_go_together(abi::handler_of(first));
  } else if constexpr (has_runs<Handle>) {
    return handle.takes_runs(abi::handler_of(first));
  } else {
    return false;
  }
}
/// Whether such messages of a batch are handled one after another, by one lane: by on_run() they go together, later.
template <class Handle>
bool goes_by_runs(const Handle& handle, word first) {
  return is_for_hot(handle, first) && !rows_go_together(handle, first);
}

/// A part or a run is worth it with so many messages; with fewer, turns do as well.
inline u32 least_of_stream(const memory& m) { return m.lanes < 16 ? 2 : m.lanes / 8; }

/// Whether messages like this one can be taken apart.
template <class Handle>
bool streams(on_chip& c, const memory& m, const Handle& handle, word first) {
  return abi::words_of(first) <= row_words &&
         c[m.handlers_here][abi::handler_of(first)].bytes <= abi::inline_payload &&
         is_for_hot(handle, first);
}

/// What a lane has in hand while it goes through its chains. What is not for a hot actor it leaves where it is.
struct chain_walk {
  u32 place;            ///< of memory::order: the next one
  u64 before;           ///< the clock before the batch
  u64 stamp;            ///< of the chain's last event
  u64 last;             ///< the latest of all chains'
  message_run run;      ///< its messages of this chain, and the next one
  actor_in_hand who{};  ///< receiver of that
  word first{};         ///< of that
  bool ran = false;     ///< some handler
  u32 type = 0;         ///< of its receiver

  /// Goes on to a message whose receiver lives; those before it are dead letters. @param step  from a place to the next.
  /// @return false if there is none.
  template <class Handle>
  bool find(on_chip& c, const memory& m, u32 step, u32 places, const Handle& handle) {
    PERDURE_ROLLED
    while (run.n != nobody || place < places) {
      if (run.n == nobody) {
        if (run.length > 1) fetch_max<scope::block>(&c.longest, run.length);
        last = stamp > last ? stamp : last;
        stamp = before;
        run.length = 0;
        run.n = c[m.order][place];
        c[m.order][place] = static_cast<u16>(nobody);
        place += step;
        continue;
      }
      const u32 at = c[m.start][run.n];
      first = c[m.in][at];
      if (!goes_by_runs(handle, first)) {
        c[m.order][place - step] = static_cast<u16>(run.n);
        run.n = nobody;
        continue;
      }
      const abi::handler_entry entry = c[m.handlers_here][abi::handler_of(first)];
      type = entry.actor;
      const u64 key = u64{type} << 32U | abi::receiver_index(first);
      if (key != who.key) {
        who.put_down();
        who.take(key, c[m.types_here][type], slot_in_use(c, m, run.n, first));
        keep_empty(c, m, run.n, who.header.status);
      }
      if (who.reaches(first)) return true;
      // with the branch for a buffer, though there may be none: without it the compiler reads a constant anew for each
      // access of a handler to its state (docs/adr/049)
      lose_call<true>(
          c, m, first,
          handle_of<Handle>(entry, message_view{c[m.in] + at, &m, abi::words_of(first)}), entry);
      run.n = c[m.next][run.n];
      ++run.length;
    }
    return false;
  }
};

/// Runs the chains of hot actors that begin at a lane's places, run by run. One loop, with little inside another: a GPU has
/// few registers for where lanes meet again, and what handlers call needs some.
/// @param step  from one of its places to the next. @return events of the lane.
template <class Handle>
u32 run_chains(on_chip& c, const memory& m, u32 lane, u32 step, u32 places, u64 clock, u64 now_ns,
               Handle& handle) {
  chain_walk walk{lane, clock, clock, clock, {&c, &m, nobody}};
  PERDURE_ROLLED
  while (walk.find(c, m, step, places, handle)) {
    walk.ran = true;
    const u32 before = walk.run.length;
    lane_state call = begin_call(c, m, flight_of(c, m, lane), walk.first, walk.type, walk.who,
                                 walk.stamp, now_ns);
    handle_run(abi::handler_of(walk.first), walk.who.slot + walk.who.offset, walk.run, call,
               handle);
    walk.stamp = end_call(c, m, call, walk.who.header);
    // such messages are likely to follow: see hot_stream.cuh
    if (walk.run.length - before >= least_of_stream(m) && streams(c, m, handle, walk.first))
      store<order::relaxed, scope::block>(&c.stream.lo, walk.first.lo);
  }
  if (walk.ran) store<order::relaxed, scope::system>(flight_of(c, m, lane), u64{0});
  walk.who.put_down();
  if (walk.run.length > 1) fetch_max<scope::block>(&c.longest, walk.run.length);
  return static_cast<u32>((walk.stamp > walk.last ? walk.stamp : walk.last) - clock);
}

}  // namespace perdure::loop
