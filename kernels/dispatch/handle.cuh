// kernels/dispatch/handle.cuh - the steps "merge clock" and "handle".
// Why: the receiver's state is looked up, its handler runs, and what became of the actor is written down, for as many
//      actors at once as the worker has lanes.
// Invariant: behind it every message of the batch was handled, or is a counted dead letter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/assign.cuh"
#include "kernels/dispatch/lane_state.cuh"

namespace perdure::loop {

/// A message on chip, as a handler's glue sees it.
struct message_view {
  const word* words;
  const memory* mem;
  u32 count;

  /// Of a message over 240 bytes: what publish_buffer() gave.
  u64 handle() const { return words[1].lo >> 56U | (words[1].hi & abi::data_mask) << 8U; }
  u32 buffer() const { return static_cast<u32>(handle()); }
};

/// Gives back the buffer of a message that nobody reads.
/// @memory  waits for the sender's writes as a reader would: without it they could land in the next owner's message.
inline void drop_buffer(const message_view& message) {
  open_buffer(*message.mem, message.handle());
  give_buffer(*message.mem, message.buffer());
}

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

/// The slot of a message's receiver in memory, null if there is none.
inline char* slot_of_receiver(const on_chip& c, const memory& m, u32 at) {
  const word first = c[m.in][at];
  const u32 type = c[m.handlers_here][abi::handler_of(first)].actor;
  return slot_of(c, m, type, abi::receiver_index(first));
}

/// Runs one message's handler, or counts the message as a dead letter.
/// @param slot    of its receiver, in memory or on chip; null if there is none.
/// @param clock   before it. @return the stamp of its last event.
/// @param handle  (u32 handler, void* state, const message_view&, lane_state&): the program's own code.
template <class Handle>
u64 run_handler(on_chip& c, const memory& m, u32 lane, u32 at, char* slot, u64 clock, u64 now_ns,
                Handle& handle) {
  const word first = c[m.in][at];
  const u32 index = abi::receiver_index(first);
  const u32 generation = abi::receiver_generation(first);
  const u32 handler = abi::handler_of(first);
  const abi::handler_entry entry = c[m.handlers_here][handler];
  const abi::type_row& row = c[m.types_here][entry.actor];
  const u64 self = abi::make_ref(index, generation, entry.actor, m.system);
  auto* header = reinterpret_cast<abi::actor_header*>(slot);
  abi::actor_header h{0, abi::slot_empty, 0};
  if (slot != nullptr) h = *header;
#ifdef PERDURE_BREAK_GENERATION  // deliberate break: tests must notice
  const bool reachable = h.status == abi::slot_alive;
#else
  const bool reachable = h.status == abi::slot_alive && h.generation == generation;
#endif
  if (!reachable) {
    if (entry.bytes > abi::inline_payload) drop_buffer({c[m.in] + at, &m, 0});
    fetch_add<scope::block>(&c.dead_now, 1U);
    dead_letter(c, m, abi::dead_reason::stopped, abi::sender_of(first), self, handler);
    return clock;
  }
  lane_state call{&c,     &m,        self, abi::sender_of(first), clock + 1,
                  now_ns, h.handled, 0,    abi::slot_alive,       0};
  const message_view message{c[m.in] + at, &m, abi::words_of(first)};
  u64* flight = m.in_flight + static_cast<u64>(c.worker) * m.lanes + lane;
  store<order::relaxed, scope::system>(flight, (u64{handler} + 1) << 32U | index);
  handle(handler, slot + row.offset, message, call);
  call.place_held();
  store<order::relaxed, scope::system>(flight, u64{0});
  if (entry.bytes > abi::inline_payload) give_buffer(m, message.buffer());
  h.handled = call.handled + 1;
  h.status = static_cast<u16>(call.status);
  *header = h;
  if (call.status != abi::slot_alive) {
    count(c, abi::counter::stopped);
    if (call.status == abi::slot_failed) count(c, abi::counter::failed);
    const u32 note[4] = {static_cast<u32>(self), static_cast<u32>(self >> 32U), call.status,
                         call.reason};
    ++call.stamp;
    post_to_host(c, m, abi::host_kind::stopped, 0, call.own(), call.stamp, note);
  }
  return call.stamp;
}

/// Pieces of the largest slot that is brought on chip: what the program knows of itself, or any.
template <class Handle>
constexpr u32 pieces_of_handle() {
  if constexpr (requires { Handle::state_pieces; }) {
    return Handle::state_pieces;
  } else {
    return abi::staged_most / 8;
  }
}
template <class Handle>
inline constexpr u32 pieces_of = pieces_of_handle<Handle>();

/// Runs the chain of messages that begins at a place, see assign.cuh. @return events of the lane.
template <class Handle>
u32 run_chain(on_chip& c, const memory& m, u32 lane, u32 place, u64 clock, u64 now_ns,
              Handle& handle) {
  u32 length = 0;
  u64 stamp = clock;
  PERDURE_ROLLED
  for (u32 n = c[m.order][place]; n != nobody; n = c[m.next][n], ++length) {
    const u32 at = c[m.start][n];
    char* slot = slot_in_use(c, m, n, c[m.in][at]);
    stamp = run_handler(c, m, lane, at, slot, stamp, now_ns, handle);
    keep_empty(c, m, n, slot);
  }
  if (length > 1) fetch_max<scope::block>(&c.longest, length);
  return static_cast<u32>(stamp - clock);
}

/// Whether a program's code, as the loop calls it, knows wide actors: see device_handle in kernels/entry.cuh.
/// A device's loop without them has no code for them.
template <class Handle>
inline constexpr bool handles_wide = wide_is_built && requires { Handle::private_bytes; };

/// The step for wide actors, see kernels/wide/call.cuh.
template <class Block, class Handle>
u64 call_wide_of_batch(Block& b, on_chip& c, const memory& m, batch taken, u64 clock, u64 now_ns,
                       Handle& handle);

/// Handles a landed batch; the worker's clock is then past every stamp given in it.
/// @param clock  from merge(). @param last  done by lane 0 when all is handled: passes the source's words on.
template <class Block, class Handle, class Last>
void handle_batch(Block& b, on_chip& c, const memory& m, batch taken, u64 clock, u64 now_ns,
                  Handle& handle, Last last) {
  if constexpr (Block::in_order) {  // lanes run one after another, so the batch's order is kept
    c.longest = 1;
    for (u32 lane = 0; lane < taken.messages; ++lane) {
      const u32 at = c[m.start][lane];
      if (!is_small(c, m, at)) continue;
      char* slot = slot_of_receiver(c, m, at);
      clock = run_handler(c, m, lane, at, slot, clock, now_ns, handle);
    }
  } else if (taken.messages == 1) {  // nobody else to share with
    b.region([&](u32 lane) {
      if (lane != 0) return;
      c.longest = 1;
      c.next_places = 0;
      if (!is_small(c, m, c[m.start][0])) return;
      const u32 at = c[m.start][0];
      c.next_places = static_cast<u32>(
          run_handler(c, m, 0, at, slot_of_receiver(c, m, at), clock, now_ns, handle) - clock);
    });
    clock += c.next_places;
  } else {
    constexpr u32 pieces = pieces_of<Handle>;
    const u32 places = assign<pieces>(b, c, m, taken);
    clock += b.most_of_places(places, &c.next_places, [&](u32 lane, u32 place) {
      return run_chain(c, m, lane, place, clock, now_ns, handle);
    });
    put_back_states<pieces>(b, c, m, taken.messages);
    forget_assignment(b, c, m);
  }
  if constexpr (handles_wide<Handle>) {
    if (has_wide(m)) clock = call_wide_of_batch(b, c, m, taken, clock, now_ns, handle);
  }
  b.once([&] {
    last();
    c.clock = clock;
    c.count[static_cast<u32>(abi::counter::rounds)] += c.longest;
    c.count[static_cast<u32>(abi::counter::handled)] += taken.messages - c.dead_now;
    c.dead_now = 0;
    if (++c.count[static_cast<u32>(abi::counter::batches)] % batches_a_fold == 0) fold_tally(c);
  });
}

}  // namespace perdure::loop
