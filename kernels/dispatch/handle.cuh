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
/// @param first  done by lane 0 before anybody goes on.
template <class Block, class First>
u64 merge(Block& b, on_chip& c, const memory& m, batch taken, u64 wall_ns, First first) {
  const u64 local = merge_clock(c.clock, 0, stamp_at(wall_ns));
  const u64 received = b.most([&](u32 lane) {
    if (lane == 0) first();
    if (lane >= taken.messages) return u64{0};
    return abi::stamp_from_wire(abi::wire_stamp(c[m.in][c[m.start][lane] + 1]), local);
  });
  return merge_clock(local, received, 0);
}

/// Runs one message's handler, or counts the message as a dead letter.
/// @param base    clock before the round; @param steps  atomic: most events of one actor in it.
/// @param handle  (u32 handler, void* state, const message_view&, lane_state&): the program's own code.
template <class Handle>
void run_handler(on_chip& c, const memory& m, u32 lane, u32 at, u64 base, u64 now_ns, u32* steps,
                 Handle& handle) {
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
#ifdef PERDURE_BREAK_GENERATION  // deliberate break: tests must notice
  const bool reachable = h.status == abi::slot_alive;
#else
  const bool reachable = h.status == abi::slot_alive && h.generation == generation;
#endif
  if (!reachable) {
    if (entry.bytes > abi::inline_payload) drop_buffer({c[m.in] + at, &m, 0});
    fetch_add<scope::block>(&c.dead_now, 1U);
    return dead_letter(c, m, abi::dead_reason::stopped, abi::sender_of(first), self, handler);
  }
  lane_state call{&c,     &m,        self, abi::sender_of(first), base + 1,
                  now_ns, h.handled, 0,    abi::slot_alive,       0};
  const message_view message{c[m.in] + at, &m, abi::words_of(first)};
  u64* flight = m.in_flight + static_cast<u64>(c.worker) * m.lanes + lane;
  store<order::relaxed, scope::system>(flight, (u64{handler} + 1) << 32U | index);
  handle(handler, slot + row.offset, message, call);
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
  fetch_max<scope::block>(steps, static_cast<u32>(call.stamp - base));
}

/// Sets the receiver's state on its way to this worker.
inline void fetch_receiver(const on_chip& c, const memory& m, word first) {
  const abi::type_row& row = c[m.types_here][c[m.handlers_here][abi::handler_of(first)].actor];
  const char* slot = slot_of(m, row, abi::receiver_index(first));
  if (slot == nullptr) return;
  prefetch(slot);
  if (row.stride <= 256) prefetch(slot + row.stride - 1);
}

/// Puts the batch's messages in an order in which those of one handler stand together, so that a warp runs one
/// handler's code: by_group[0..messages). Their order within a group is free, since claims go by the message.
template <class Block>
void group_by_handler(Block& b, on_chip& c, const memory& m, batch taken) {
  typename Block::template per_lane<u32> place;
  auto group_of = [&](u32 lane) {
    return abi::handler_of(c[m.in][c[m.start][lane]]) & (groups - 1);
  };
  b.region([&](u32 lane) {
    if (lane >= taken.messages) return;
    place[lane] = fetch_add<scope::block>(&c[m.group][group_of(lane)], 1U);
    fetch_receiver(c, m, c[m.in][c[m.start][lane]]);
  });
  b.region([&](u32 lane) {
    if (lane >= taken.messages) return;
    u32 at = place[lane];
    const u32 own = group_of(lane);
    for (u32 g = 0; g < own; ++g) at += c[m.group][g];
    c[m.by_group][at] = static_cast<u16>(lane);
  });
  b.region([&](u32 lane) {
    PERDURE_ROLLED
    for (u32 g = lane; g < groups; g += b.lanes()) c[m.group][g] = 0;
  });
}

/// Whether a program's code, as the loop calls it, knows wide actors: see device_handle in kernels/entry.cuh.
/// A device's loop without them has no code for them.
template <class Handle>
inline constexpr bool handles_wide = wide_is_built && requires { Handle::private_bytes; };

/// The step for wide actors, see kernels/wide/call.cuh.
template <class Block, class Handle>
u64 call_wide_of_batch(Block& b, on_chip& c, const memory& m, batch taken, u64 clock, u64 now_ns,
                       Handle& handle);

/// Whether the message at `at` is a small actor's, whose handler is one lane's.
inline bool is_small(const on_chip& c, const memory& m, u32 at) {
  if (!has_wide(m)) return true;
  return c[m.types_here][c[m.handlers_here][abi::handler_of(c[m.in][at])].actor].lanes == 0;
}

/// Handles a landed batch; the worker's clock is then past every stamp given in it.
/// @param clock  from merge(). @param last  done by lane 0 when all is handled: passes the source's words on.
template <class Block, class Handle, class Last>
void handle_batch(Block& b, on_chip& c, const memory& m, batch taken, u64 clock, u64 now_ns,
                  Handle& handle, Last last) {
  u32 rounds = 1;
  if constexpr (Block::in_order) {  // lanes run one after another: order is kept within one round
    b.region([&](u32 lane) {
      if (lane >= taken.messages || !is_small(c, m, c[m.start][lane])) return;
      u32* steps = &c.clock_steps[0];
      run_handler(c, m, lane, c[m.start][lane], clock, now_ns, steps, handle);
      clock += *steps;
      *steps = 0;
    });
  } else {
    constexpr u32 done = ~0U;
    const bool alone = taken.messages == 1;  // nobody else to claim the actor
    const bool grouped = taken.messages > Block::group_above && m.handler_count > 1;
    typename Block::template per_lane<u32> number;  // message that the lane runs
    typename Block::template per_lane<u32> claim;   // its slot in the claim table, or done
    u32 round =
        c.claim_round;  // a claim of a later round is lower, so it wins against all that stand there
    if (grouped) group_by_handler(b, c, m, taken);
    if (alone) {
      b.region([&](u32 lane) {
        if (lane == 0) c.clock_steps[0] = c.clock_steps[1] = 0;
        number[lane] = 0;
        claim[lane] = lane == 0 && is_small(c, m, c[m.start][0]) ? 0 : done;
      });
    } else {
      b.region([&](u32 lane) {  // the earliest message of each actor wins the round
        if (lane == 0) c.clock_steps[0] = c.clock_steps[1] = 0;
        claim[lane] = done;
        if (lane >= taken.messages) return;
        const u32 n = grouped ? c[m.by_group][lane] : lane;
        number[lane] = n;
        if (!is_small(c, m, c[m.start][n])) return;
        const word first = c[m.in][c[m.start][n]];
        if (!grouped) fetch_receiver(c, m, first);
        const u32 type = c[m.handlers_here][abi::handler_of(first)].actor;
        const u32 key = abi::receiver_index(first) * 0x9e3779b9U ^ type * 0x85ebca6bU;
        claim[lane] = (key ^ key >> 15U) & (m.claim_slots - 1);
        fetch_min<scope::block>(&c[m.claim][claim[lane]], round << 16U | n);
      });
    }
    for (;; ++rounds) {
      u32* steps = &c.clock_steps[rounds & 1U];
      const u32 left = b.sum([&](u32 lane) -> u32 {
        if (claim[lane] == done) return 0;
        const u32 n = number[lane];
        if (!alone &&
            load<order::relaxed, scope::block>(&c[m.claim][claim[lane]]) != (round << 16U | n))
          return 1;
        run_handler(c, m, lane, c[m.start][n], clock, now_ns, steps, handle);
        claim[lane] = done;
        return 0;
      });
      clock += *steps;
      if (left == 0) break;
      --round;
      b.region([&](u32 lane) {
        if (lane == 0) c.clock_steps[(rounds + 1) & 1U] = 0;  // read by all before the last barrier
        if (claim[lane] != done)
          fetch_min<scope::block>(&c[m.claim][claim[lane]], round << 16U | number[lane]);
      });
    }
    if (round - 1 <= m.lanes) {  // the next batch may take as many rounds as it has messages
      b.region([&](u32 lane) {
        PERDURE_ROLLED
        for (u32 i = lane; i < m.claim_slots; i += b.lanes()) c[m.claim][i] = ~0U;
      });
      round = first_claim_round + 1;
    }
    b.lead([&] { c.claim_round = round - 1; });
  }
  if constexpr (handles_wide<Handle>) {
    if (has_wide(m)) clock = call_wide_of_batch(b, c, m, taken, clock, now_ns, handle);
  }
  b.once([&] {
    last();
    c.clock = clock;
    c.count[static_cast<u32>(abi::counter::rounds)] += rounds;
    c.count[static_cast<u32>(abi::counter::handled)] += taken.messages - c.dead_now;
    c.dead_now = 0;
    if (++c.count[static_cast<u32>(abi::counter::batches)] % batches_a_fold == 0) fold_tally(c);
  });
}

}  // namespace perdure::loop
