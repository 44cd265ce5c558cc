// kernels/dispatch/handle.cuh - the steps "merge clock" and "handle in rounds".
// Why: an actor handles one message at a time and in order, without a lock: its worker owns it, and in one
//      round at most one lane runs it, the one with the earliest of its messages.
// Invariant: after the last round every message of the batch was handled, or is a counted dead letter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/lane_state.cuh"
#include "kernels/dispatch/take.cuh"

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
/// @param first  done by lane 0 meanwhile: passes the source's words on.
template <class Block, class First>
u64 merge(Block& b, on_chip& c, batch taken, u64 wall_ns, First first) {
  const u64 local = merge_clock(c.clock, 0, stamp_at(wall_ns));
  const u64 received = b.most([&](u32 lane) {
    if (lane == 0) first();
    if (lane >= taken.messages) return u64{0};
    return abi::stamp_from_wire(abi::wire_stamp(c.in[c.start[lane] + 1]), local);
  });
  return merge_clock(local, received, 0);
}

/// Runs one message's handler, or counts the message as a dead letter.
/// @param base    clock before the round; @param steps  atomic: most events of one actor in it.
/// @param handle  (u32 handler, void* state, const message_view&, lane_state&): the program's own code.
template <class Handle>
void run_handler(on_chip& c, const memory& m, u32 lane, u32 at, u64 base, u64 now_ns, u32* steps,
                 Handle& handle) {
  const word first = c.in[at];
  const u32 index = abi::receiver_index(first);
  const u32 generation = abi::receiver_generation(first);
  const u32 handler = abi::handler_of(first);
  const u32 type = c.handlers[handler].actor;
  const u64 self = abi::make_ref(index, generation, type, m.system);
  char* slot = slot_of(m, c.types[type], index);
  auto* header = reinterpret_cast<abi::actor_header*>(slot);
  abi::actor_header h{0, abi::slot_empty, 0};
  if (slot != nullptr) h = *header;
#ifdef PERDURE_BREAK_GENERATION  // deliberate break: tests must notice
  const bool reachable = h.status == abi::slot_alive;
#else
  const bool reachable = h.status == abi::slot_alive && h.generation == generation;
#endif
  if (!reachable) {
    if (c.handlers[handler].bytes > abi::inline_payload) drop_buffer({c.in + at, &m, 0});
    fetch_add<scope::block>(&c.dead_now, 1U);
    return dead_letter(c, abi::dead_reason::stopped, abi::sender_of(first), self, handler);
  }
  lane_state call{&c,     &m,        self, abi::sender_of(first), base + 1,
                  now_ns, h.handled, 0,    abi::slot_alive,       0};
  const message_view message{c.in + at, &m, abi::words_of(first)};
  u64* flight = m.in_flight + static_cast<u64>(c.worker) * m.lanes + lane;
  store<order::relaxed, scope::system>(flight, (u64{handler} + 1) << 32U | index);
  handle(handler, slot + c.types[type].offset, message, call);
  store<order::relaxed, scope::system>(flight, u64{0});
  if (c.handlers[handler].bytes > abi::inline_payload) give_buffer(m, message.buffer());
  h.handled = call.handled + 1;
  h.status = static_cast<u16>(call.status);
  *header = h;
  if (call.status != abi::slot_alive) {
    count(c, abi::counter::stopped);
    if (call.status == abi::slot_failed) count(c, abi::counter::failed);
    const u32 note[4] = {static_cast<u32>(self), static_cast<u32>(self >> 32U), call.status,
                         call.reason};
    ++call.stamp;
    post_to_host(c, abi::host_kind::stopped, 0, call.own(), call.stamp, note);
  }
  fetch_max<scope::block>(steps, static_cast<u32>(call.stamp - base));
}

/// Handles a landed batch; the worker's clock is then past every stamp given in it.
/// @param clock  from merge().
template <class Block, class Handle>
void handle_batch(Block& b, on_chip& c, const memory& m, batch taken, u64 clock, u64 now_ns,
                  Handle& handle) {
  u32 rounds = 1;
  if constexpr (Block::in_order) {  // lanes run one after another: order is kept within one round
    b.region([&](u32 lane) {
      if (lane >= taken.messages) return;
      u32* steps = &c.clock_steps[0];
      run_handler(c, m, lane, c.start[lane], clock, now_ns, steps, handle);
      clock += *steps;
      *steps = 0;
    });
  } else {
    typename Block::template per_lane<u32> claim;  // slot in the claim table, ~0 once handled
    b.region([&](u32 lane) {  // the earliest message of each actor wins the round
      if (lane == 0) c.clock_steps[0] = c.clock_steps[1] = 0;
      claim[lane] = ~0U;
      if (lane >= taken.messages) return;
      const word first = c.in[c.start[lane]];
      const u32 key = abi::receiver_index(first) * 0x9e3779b9U ^
                      c.handlers[abi::handler_of(first)].actor * 0x85ebca6bU;
      claim[lane] = (key ^ key >> 15U) & (m.claim_slots - 1);
      // later rounds and the state behind the header find their lines under way
      const abi::type_row& row = c.types[c.handlers[abi::handler_of(first)].actor];
      if (const char* slot = slot_of(m, row, abi::receiver_index(first)); slot != nullptr) {
        for (u32 at = 0; at < row.stride && at < 256; at += 128) prefetch(slot + at);
        prefetch(slot + row.stride - 1);
      }
      fetch_min<scope::block>(&c.claim[claim[lane]], lane);
    });
    for (;; ++rounds) {
      u32* steps = &c.clock_steps[rounds & 1U];
      const u32 left = b.sum([&](u32 lane) -> u32 {
        if (claim[lane] == ~0U) return 0;
        u32* slot = &c.claim[claim[lane]];
        if (load<order::relaxed, scope::block>(slot) != lane) return 1;
        run_handler(c, m, lane, c.start[lane], clock, now_ns, steps, handle);
        claim[lane] = ~0U;
        store<order::relaxed, scope::block>(slot, ~0U);
        return 0;
      });
      clock += *steps;
      if (left == 0) break;
      b.region([&](u32 lane) {
        if (lane == 0) c.clock_steps[(rounds + 1) & 1U] = 0;  // read by all before the last barrier
        if (claim[lane] != ~0U) fetch_min<scope::block>(&c.claim[claim[lane]], lane);
      });
    }
  }
  b.once([&] {
    c.clock = clock;
    c.count[static_cast<u32>(abi::counter::rounds)] += rounds;
    c.count[static_cast<u32>(abi::counter::handled)] += taken.messages - c.dead_now;
    c.dead_now = 0;
    ++c.count[static_cast<u32>(abi::counter::batches)];
  });
}

}  // namespace perdure::loop
