// kernels/dispatch/handle.cuh - the steps "merge clock" and "handle".
// Why: a batch is handled for as many actors at once as the worker has lanes.
// Invariant: behind it every message of the batch was handled, or is a counted dead letter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/ahead.cuh"
#include "kernels/dispatch/chain_alike.cuh"
#include "kernels/dispatch/message_run.cuh"
#include "kernels/dispatch/together.cuh"

namespace perdure::loop {

/// The clock before the batch: past everything that it brings, and not behind the wall clock.
/// @param first  done by lane 0 before anybody goes on.
template <class Block, class First>
u64 merge(Block& b, on_chip& c, const memory& m, batch taken, u64 wall_ns, First first) {
  const u64 local = merge_clock(c.clock, 0, stamp_at(wall_ns));
  const auto stamp_of = [&](u32 lane) {
    return abi::stamp_from_wire(abi::wire_stamp(c[m.in][c[m.start][lane] + 1]), local);
  };
  if constexpr (Block::in_order) {  // one thread: it looks at what is there, and at no more
    first();
    u64 most = local;
    for (u32 i = 0; i < taken.messages; ++i) most = merge_clock(most, stamp_of(i), 0);
    return most;
  }
  const u64 received = b.most([&](u32 lane) {
    if (lane == 0) first();
    return lane < taken.messages ? stamp_of(lane) : u64{0};
  });
  return merge_clock(local, received, 0);
}

/// Words of the largest slot that is brought on chip: what the program knows of itself, or any.
template <class Handle>
constexpr u32 pieces_of_handle() {
  if constexpr (requires { Handle::state_pieces; }) {
    return Handle::state_pieces;
  } else {
    return abi::staged_most / sizeof(word);
  }
}
template <class Handle>
inline constexpr u32 pieces_of = pieces_of_handle<Handle>();

/// Whether some slots are too large for that, as far as the program knows.
template <class Handle>
constexpr bool in_memory_of_handle() {
  if constexpr (requires { Handle::slots_in_memory; }) {
    return Handle::slots_in_memory;
  } else {
    return true;
  }
}

/// Whether the only chain of a batch is left to the next one behind `handled` of its messages. One lane.
inline bool may_leave(const on_chip& c, const memory& m, u32 handled) {
  return may_leave(m, c.out_top, c.deferred + c.hot.messages - handled);
}
/// Runs the chain of messages that begins at a place, see assign.cuh. @return events of the lane.
/// @tparam Staged  it is the only one; then what is left of it, if what it sends fills the outbox on chip, stands in its
///                  place.
template <bool Staged, class Handle>
u32 run_chain(on_chip& c, const memory& m, u32 lane, u32 place, u64 clock, u64 now_ns,
              Handle& handle) {
  u32 n = c[m.order][place];
  u32 length = 0;
  u64 stamp = clock;
  actor_in_hand who;
  PERDURE_ROLLED
  for (; n != nobody; ++length) {
    const u32 at = c[m.start][n];
    const word first = c[m.in][at];
    const u32 following = c[m.next][n];
    const abi::handler_entry entry = c[m.handlers_here][abi::handler_of(first)];
    const u64 key = u64{entry.actor} << 32U | abi::receiver_index(first);
    if (key != who.key) {  // a chain has seldom more than one actor
      who.put_down();
      who.take(key, c[m.types_here][entry.actor], slot_in_use(c, m, n, first));
      keep_empty(c, m, n, who.header.status);
    }
    stamp = run_handler<Staged>(c, m, lane, at, first, entry, who, stamp, now_ns, handle);
    n = following;
    if (Staged && may_leave(c, m, length + 1)) {
      ++length;
      break;
    }
  }
  if constexpr (Staged) c[m.order][place] = static_cast<u16>(n);
  if (length != 0) store<order::relaxed, scope::system>(flight_of(c, m, lane), u64{0});
  who.put_down();
  if (length > 1) fetch_max<scope::block>(&c.longest, length);
  return static_cast<u32>(stamp - clock);
}

/// The chains of hot actors of the batch in c.hot. Not inlined, and called where little is in registers: batches that are
/// not hot are not to pay for it.
template <class Block, class Handle>
PERDURE_OUT_OF_LINE void run_hot(Block b, on_chip& chip, const memory& mem, Handle& handle) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  if (agreed(c.hot.is_one_chain != 0)) {
    if constexpr (may_send_many<Handle>) {
      const u32 messages = c.deferred + c.hot.messages;
      if (agreed(goes_alike(b, c, m, messages, handle)))
        b.alike([&](bool leads) { run_alike(c, m, leads, messages, handle); });
    }
    b.once([&] {
      c.hot.clock += run_chain<true>(c, m, 0, 0, c.hot.clock, c.now_ns, handle);
      leave_chain(c, m);
    });
    return place_staged(b, c, m);
  }
  if constexpr (may_send_many<Handle>) {
    b.alike([&](bool leads) {
      const u64 past = run_senders(c, m, leads, c.hot.places, c.hot.clock, handle);
      if (leads) c.hot.clock = past;
    });
    place_staged(b, c, m);
  }
  const u64 clock = c.hot.clock;
  const u64 events = b.most([&](u32 lane) {
    return u64{run_chains(c, m, lane, b.lanes(), c.hot.places, clock, c.now_ns, handle)};
  });
  b.once([&] { c.hot.clock = clock + events; });
}

/// Whether a program's code, as the loop calls it, knows wide actors: see device_handle in kernels/entry.cuh.
/// A device's loop without them has no code for them.
template <class Handle>
inline constexpr bool handles_wide = wide_is_built && requires { Handle::private_bytes; };

/// The step for wide actors, see kernels/wide/call.cuh.
template <class Block, class Handle>
u64 call_wide_of_batch(Block& b, on_chip& c, const memory& m, batch taken, u64 clock, u64 now_ns,
                       Handle& handle);

/// Lane 0, when a batch is handled: the books. @param longest  messages of its longest chain.
inline void count_batch(on_chip& c, const memory& m, batch taken, u32 longest, u64 clock) {
  c.clock = clock;
  c.count[static_cast<u32>(abi::counter::rounds)] += longest;
  c.count[static_cast<u32>(abi::counter::handled)] += taken.messages - c.dead_now;
  c.dead_now = 0;
  if (++c.count[static_cast<u32>(abi::counter::batches)] % batches_a_fold == 0) {
    fold_tally(c);
    if constexpr (places_are_built) fold_traffic(c, m);
  }
}

/// For blocks of one thread, so not on a GPU, whose lanes wait side by side: while a message is handled, the states of the
/// next ones are on their way, so that the trips to memory overlap with handlers and with each other. One state is asked
/// for with each message: asked for in groups they fill what a processor keeps under way, and then it waits (ADR 029, 041).
inline constexpr u32 asked_ahead = 32;
/// Of a slot so much is asked for: handlers that write what is not there fill the processor's queue of stores.
inline constexpr u32 asked_bytes = 512, line_bytes = 64;

/// Whether that is worth its time: many small states lie in a line and in the caches. The first message speaks for all.
inline bool asks_for_states(const on_chip& c, const memory& m, batch taken) {
  if (taken.messages < 2) return false;
  const u32 handler = abi::handler_of(c[m.in][c[m.start][0]]);
  return c[m.types_here][c[m.handlers_here][handler].actor].stride > line_bytes;
}
/// For message `n`, unless the one before it is for the same actor: a hot actor's stand in a row.
inline void ask_for_state(const on_chip& c, const memory& m, u32 n) {
  const word first = c[m.in][c[m.start][n]];
  const u32 index = abi::receiver_index(first);
  if (n != 0 && abi::receiver_index(c[m.in][c[m.start][n - 1]]) == index) return;
  const u32 type = c[m.handlers_here][abi::handler_of(first)].actor;
  const char* slot = slot_of(c, m, type, index);
  if (slot == nullptr) return;
  const u32 stride = c[m.types_here][type].stride;
  const u32 bytes = stride < asked_bytes ? stride : asked_bytes;
  for (u32 at = 0; at < bytes; at += line_bytes) prefetch(slot + at);
}

/// Handles a landed batch; the worker's clock is then past every stamp given in it.
/// c.longest is 1.
/// @param clock  from merge(). @param last  done by lane 0 when all is handled: passes the source's words on.
/// @param has_run  this is the second call for the batch: run_hot() lies between.
/// @return false: the batch is a hot one; run_hot() is to handle it, then comes this once more.
template <class Block, class Handle, class Last>
bool handle_batch(Block& b, on_chip& c, const memory& m, batch taken, u64 clock, u64 now_ns,
                  Handle& handle, Last last, bool has_run = false) {
  u32 left = hot_is_built && has_run ? c.hot.left : 0;
  if constexpr (Block::in_order) {  // lanes run one after another, so the batch's order is kept
    const bool asks = asks_for_states(c, m, taken);
    for (u32 n = 0; asks && n < asked_ahead && n < taken.messages; ++n) ask_for_state(c, m, n);
    for (u32 lane = 0; lane < taken.messages; ++lane) {
      if (asks && lane + asked_ahead < taken.messages) ask_for_state(c, m, lane + asked_ahead);
      const u32 at = c[m.start][lane];
      if (is_small(c, m, at)) clock = run_alone(c, m, at, clock, now_ns, handle);
    }
  } else if (agreed(taken.messages != 1 || is_small(c, m, c[m.start][0]))) {
    constexpr u32 pieces = pieces_of<Handle>;
    u32 places = c.hot.places;
    u32 late = c.hot.late;
    if (!has_run) {
      const assignment found = assign<pieces, in_memory_of_handle<Handle>()>(b, c, m, taken);
      places = found.places;
      late =
          may_go_together<Block, Handle>(taken.messages, found.late, found.defers) ? found.late : 0;
      const bool one = hot_is_built && is_one_chain(b, m, taken.messages, found.late);
      if (hot_is_built && agreed(one || is_hot<Block>(taken.messages, found.late))) {
        b.lead([&] {
          c.hot.places = static_cast<u16>(places);
          c.hot.late = static_cast<u16>(late);
          c.hot.is_one_chain = one ? 1 : 0;
        });
        return false;
      }
      if (found.defers) left = found.late;
    }
    clock += b.most_of_places(
        places, has_runs<Handle> && late != 0, &c.next_places,
        [&]([[maybe_unused]] u32 first) -> u32 {
          if constexpr (has_runs<Handle>) {
            return run_together(c, m, first, places, late, clock, handle);
          } else {
            return 0;
          }
        },
        [&](u32 lane, u32 place) -> u32 {
          if constexpr (has_runs<Handle>) {
            if (late != 0 && is_long(c, m, place, handle)) return 0;  // lanes side by side have it
          }
          return run_chain<false>(c, m, lane, place, clock, now_ns, handle);
        },
        [&] {
          if constexpr (has_runs<Handle> && lands_ahead<Block>) land_ahead(c, m, b.lanes() / 32);
        });
    put_back_states<pieces>(b, c, m, taken.messages);
    forget_assignment(b, c, m);
  }
  if constexpr (handles_wide<Handle>) {
    if (has_wide(m)) clock = call_wide_of_batch(b, c, m, taken, clock, now_ns, handle);
  }
  b.lead([&] {
    last();
    count_batch(c, m, batch{taken.messages - left, taken.words}, c.longest, clock);
    c.deferred = c.deferred_words = 0;  // they were in this batch
    if (hot_is_built && !has_run) c.hot.left = 0;
  });
  if (agreed(left != 0)) {
    defer(b, c, m, left);
  } else {
    b.region([](u32) {});
  }
  return true;
}

}  // namespace perdure::loop
