// kernels/wide/call.cuh - one call of a wide handler, from the message in hand to the books.
// Why: ordinary and joined messages differ in where they come from; what a call is, is one thing.
// Invariant: all lanes make the call together; who owns the worker owns its actors, so nobody else touches the state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/wide/post.cuh"
#include "kernels/wide/private_values.cuh"

namespace perdure::loop {

/// What a program's code gets for one call, and what it leaves behind: `call` and `committed`, alike on all lanes.
template <class Block>
struct wide_call {
  Block* block;
  on_chip* chip;
  const memory* mem;
  lane_state call;
  char* state;
  char*
      store;  ///< per_lane values: this lane's, or all lanes' where the backend keeps them in memory
  const char* landed;      ///< joined messages, unless they are read in their links (whole.cuh)
  const u32* landed_at;    ///< [max_ports]
  u32 linked_ports;        ///< bit: out-port
  u32 open_ports;          ///< of those, where a message may be committed now
  u32 committed = 0;       ///< of those, where one was
  u32 written = 0;         ///< of those, what is in its link already
  u32 lost = 0;            ///< bit: out-port at which one was committed that cannot go
  commit_stamps stamps{};  ///< of those that are not written
  bool quiet =
      false;  ///< all lanes have met since anything was filled, sent or read of what has come
};

/// Out-ports for which f(link end) holds.
template <class F>
u32 out_ports_that(on_chip& c, const memory& m, u32 ports, F f) {
  u32 mask = 0;
  for (u32 p = 0; p < ports; ++p) mask |= f(c[m.ends][abi::max_ports + p]) ? 1U << p : 0;
  return mask;
}
inline bool is_linked(const abi::link_end& end) { return end.slots != 0; }

inline void note_in_flight(const on_chip& c, const memory& m, u64 call) {
  store<order::relaxed, scope::system>(m.in_flight + static_cast<u64>(c.worker) * m.lanes, call);
}

/// The actor's end, if the handler chose it: a note to the host. Lane 0.
inline void note_stop(on_chip& c, const memory& m, const lane_state& call) {
  count(c, abi::counter::stopped);
  if (call.status == abi::slot_failed) count(c, abi::counter::failed);
  const u32 note[4] = {static_cast<u32>(call.self), static_cast<u32>(call.self >> 32U), call.status,
                       call.reason};
  post_to_host(c, m, abi::host_kind::stopped, 0, call.own(), call.stamp + 1, note);
}

/// Sends what a call has committed. All lanes; what is booked is seen by all behind the next barrier. Messages in links are
/// for the caller to count: made.committed.
/// @return whether the outbox may hold something: read here, side by side with what is sent.
template <class Block>
bool end_call(Block& b, on_chip& c, const memory& m, wide_call<Block>& made) {
  if (!made.quiet) b.region([](u32) {});  // what was filled is filled
  const bool outbox = made.call.status != abi::slot_alive || c.out_top != 0;
  if constexpr (!Block::in_order) {
    const u32 left = made.committed & ~made.written;
    if (left != 0) write_links(b, c, m, left, made.stamps);
  }
  if ((made.lost & made.linked_ports) != 0) {
    b.lead([&] {
      const u32 lost = set_bits(made.lost & made.linked_ports);
      c.count[static_cast<u32>(abi::counter::link_sent)] += lost;
      c.count[static_cast<u32>(abi::counter::link_lost)] += lost;
      for (u32 i = 0; i < lost; ++i) count_dead(c, abi::dead_reason::exhausted);
    });
  }
  return outbox;
}
/// What follows if the handler has ended its actor: whoever is told finds it so.
template <class Block>
void end_actor(Block& b, on_chip& c, const memory& m, wide_call<Block>& made,
               abi::actor_header* header) {
  if (made.call.status == abi::slot_alive) return;
  b.once([&] {
    header->status = static_cast<u16>(made.call.status);
    note_stop(c, m, made.call);
  });
  // of the note: an event for all lanes alike, since their next call's stamps follow from it
  ++made.call.stamp;
}

/// Handles one ordinary message of a batch, landed at `at`. All lanes, behind a barrier.
/// @param clock  before the call.  @return the clock after it.
template <class Block, class Handle>
PERDURE_OUT_OF_LINE u64 call_wide(Block b, on_chip& chip, const memory& mem, u32 at, u64 clock,
                                  u64 now_ns, Handle& handle) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const word first = c[m.in][at];
  const u32 index = abi::receiver_index(first);
  const u32 generation = abi::receiver_generation(first);
  const u32 handler = abi::handler_of(first);
  const abi::handler_entry entry = c[m.handlers_here][handler];
  const abi::type_row& row = c[m.types_here][entry.actor];
  const u64 self = abi::make_ref(index, generation, entry.actor, m.system);
  char* slot = slot_of(m, row, index);
  auto* header = reinterpret_cast<abi::actor_header*>(slot);
  abi::actor_header h{0, abi::slot_empty, 0};
  if (slot != nullptr) h = *header;
  const message_view message{c[m.in] + at, &m, abi::words_of(first)};
  if (h.status != abi::slot_alive || h.generation != generation) {
    b.once([&] {
      if (entry.bytes > abi::inline_payload) drop_buffer(message);
      ++c.dead_now;
      dead_letter(c, m, abi::dead_reason::stopped, abi::sender_of(first), self, handler);
    });
    return clock;
  }
  bring(b, c, m, entry.actor, index);
  const char* payload = c[m.message];
  if (entry.bytes > abi::inline_payload) {
    const u64 large = message.handle();
    payload = is_of_host(m, static_cast<u32>(large)) ? bring_together(b, m, large, entry.bytes)
                                                     : open_buffer(m, large, entry.bytes);
  } else {
    b.each([&](u32 lane) {
      u32* to = reinterpret_cast<u32*>(c[m.message]);
      const auto word_at = [&](int k) { return message.words[k]; };
      for (u32 i = lane; i < (entry.bytes + 3) / 4; i += b.lanes()) {
        to[i] = abi::payload_piece(word_at, static_cast<int>(i), static_cast<int>(message.count));
      }
    });
  }
  b.region([&](u32 lane) {
    if (lane == 0) note_in_flight(c, m, (u64{handler} + 1) << 32U | index);
    for (u32 p = lane; p < row.ports; p += b.lanes()) {
      abi::link_end& out = c[m.ends][abi::max_ports + p];
      if (out.slots != 0) (void)has_room<Block>(out);
    }
  });
  private_values_of<Handle> mine;
  mine.load(row, slot, b.lane());
  wide_call<Block> made{
      &b,
      &c,
      &m,
      {&c, &m, self, abi::sender_of(first), clock + 1, now_ns, h.handled, 0, abi::slot_alive, 0},
      held_state(c, m, row, slot),
      Handle::private_bytes != 0 ? mine.at : slot + row.private_at,
      nullptr,
      nullptr,
      out_ports_that(c, m, row.ports, is_linked),
      out_ports_that(c, m, row.ports,
                     [](const abi::link_end& e) { return is_linked(e) && !is_full(e); })};
  if constexpr (records_are_built) {
    b.lead([&] {
      note_ports(c, m, self, made.call.stamp, made.linked_ports, made.open_ports);
      note_message(c, m, self, made.call.asker, made.call.stamp, abi::wire_stamp(message.words[1]));
    });
  }
  handle.wide(made, handler, payload);
  mine.save(row, slot, b.lane());
  (void)end_call(b, c, m, made);
  end_actor(b, c, m, made, header);
  if (made.committed != 0) {
    b.region([](u32) {});  // all are done with the link ends
    count_sent(b, c, m, made.committed);
  }
  b.once([&] {
    *header = {h.generation, static_cast<u16>(made.call.status), made.call.handled + 1};
    c.count[static_cast<u32>(abi::counter::link_sent)] += set_bits(made.committed);
    note_in_flight(c, m, 0);
    if (entry.bytes > abi::inline_payload) give_buffer(m, message.handle());
  });
  return made.call.stamp;
}

/// Handles the batch's messages to wide actors, one after another in their order.
template <class Block, class Handle>
u64 call_wide_of_batch(Block& b, on_chip& c, const memory& m, batch taken, u64 clock, u64 now_ns,
                       Handle& handle) {
  for (u32 n = 0; n < taken.messages; ++n) {
    const u32 at = c[m.start][n];
    const u32 type = c[m.handlers_here][abi::handler_of(c[m.in][at])].actor;
    if (c[m.types_here][type].lanes == 0) continue;
    clock = call_wide(b, c, m, at, clock, now_ns, handle);
  }
  return clock;
}

}  // namespace perdure::loop
