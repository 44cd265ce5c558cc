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

/// Who handles a run of messages: looked up once, and its header written down once.
struct actor_in_hand {
  char* slot = nullptr;  ///< in memory or on chip; null if there is none
  u64 key = ~u64{0};     ///< its type above, its index below
  u32 offset = 0;        ///< of its state
  bool has_run = false;
  abi::actor_header header{0, abi::slot_empty, 0};

  /// @param of  as key. @param at  slot.
  void take(u64 of, const abi::type_row& row, char* at) {
    slot = at;
    key = of;
    offset = row.offset;
    has_run = false;
    if (slot == nullptr) {
      header = {0, abi::slot_empty, 0};
    } else {
      header = *reinterpret_cast<abi::actor_header*>(slot);
    }
  }
  /// Behind its messages. An empty slot stays as it is: the host may be making an actor there meanwhile.
  void put_down() const {
    if (has_run) *reinterpret_cast<abi::actor_header*>(slot) = header;
  }
};

/// A lane's note for the host: which call is under way, in case it never ends.
inline u64* flight_of(const on_chip& c, const memory& m, u32 lane) {
  return m.in_flight + static_cast<u64>(c.worker) * m.lanes + lane;
}

/// Runs one message's handler, or counts the message as a dead letter.
/// @param who     its receiver, if there is one.
/// @param clock   before it. @return the stamp of its last event.
/// @param handle  (u32 handler, void* state, const message_view&, lane_state&): the program's own code.
template <class Handle>
u64 run_handler(on_chip& c, const memory& m, u32 lane, u32 at, word first,
                const abi::handler_entry& entry, actor_in_hand& who, u64 clock, u64 now_ns,
                Handle& handle) {
  const u32 index = abi::receiver_index(first);
  const u32 generation = abi::receiver_generation(first);
  const u32 handler = abi::handler_of(first);
  const u64 self = abi::make_ref(index, generation, entry.actor, m.system);
  abi::actor_header& h = who.header;
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
  who.has_run = true;
  lane_state call{&c,     &m,        self, abi::sender_of(first), clock + 1,
                  now_ns, h.handled, 0,    abi::slot_alive,       0};
  const message_view message{c[m.in] + at, &m, abi::words_of(first)};
  store<order::relaxed, scope::system>(flight_of(c, m, lane), (u64{handler} + 1) << 32U | index);
  handle(handler, who.slot + who.offset, message, call);
  call.place_held();
  if (entry.bytes > abi::inline_payload) give_buffer(m, message.buffer());
  h.handled = call.handled + 1;
  h.status = static_cast<u16>(call.status);
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

/// Runs the handler of a message that shares its receiver's visit with no other. Lane 0.
template <class Handle>
u64 run_alone(on_chip& c, const memory& m, u32 at, u64 clock, u64 now_ns, Handle& handle) {
  const word first = c[m.in][at];
  const abi::handler_entry entry = c[m.handlers_here][abi::handler_of(first)];
  actor_in_hand who;
  who.take(0, c[m.types_here][entry.actor], slot_of(c, m, entry.actor, abi::receiver_index(first)));
  const u64 after = run_handler(c, m, 0, at, first, entry, who, clock, now_ns, handle);
  store<order::relaxed, scope::system>(flight_of(c, m, 0), u64{0});
  who.put_down();
  return after;
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
  u32 n = c[m.order][place];
  if (n == nobody) return 0;
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
    stamp = run_handler(c, m, lane, at, first, entry, who, stamp, now_ns, handle);
    n = following;
  }
  store<order::relaxed, scope::system>(flight_of(c, m, lane), u64{0});
  who.put_down();
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

/// Lane 0, when a batch is handled: the books. @param longest  messages of its longest chain.
inline void count_batch(on_chip& c, batch taken, u32 longest, u64 clock) {
  c.clock = clock;
  c.count[static_cast<u32>(abi::counter::rounds)] += longest;
  c.count[static_cast<u32>(abi::counter::handled)] += taken.messages - c.dead_now;
  c.dead_now = 0;
  if (++c.count[static_cast<u32>(abi::counter::batches)] % batches_a_fold == 0) fold_tally(c);
}

/// Handles a landed batch; the worker's clock is then past every stamp given in it.
/// c.longest is 1.
/// @param clock  from merge(). @param last  done by lane 0 when all is handled: passes the source's words on.
template <class Block, class Handle, class Last>
void handle_batch(Block& b, on_chip& c, const memory& m, batch taken, u64 clock, u64 now_ns,
                  Handle& handle, Last last) {
  if constexpr (Block::in_order) {  // lanes run one after another, so the batch's order is kept
    for (u32 lane = 0; lane < taken.messages; ++lane) {
      const u32 at = c[m.start][lane];
      if (is_small(c, m, at)) clock = run_alone(c, m, at, clock, now_ns, handle);
    }
  } else if (taken.messages != 1 || is_small(c, m, c[m.start][0])) {
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
    count_batch(c, taken, c.longest, clock);
  });
}

}  // namespace perdure::loop
