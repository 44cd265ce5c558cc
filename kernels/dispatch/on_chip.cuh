// kernels/dispatch/on_chip.cuh - what the lanes of one worker share: shared memory on a GPU, heap on a CPU.
// Why: a batch lands here, is handled from here, and its sends are gathered here.
// Invariant: plain members are written by lane 0 alone, and any lane may read them if a barrier lies between that and the
//            write before, and another one between that and the write after; those named "atomic" by any lane.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/memory.cuh"

namespace perdure::loop {

inline constexpr u32 words_a_lane = 4;    ///< in_words = words_a_lane * lanes
inline constexpr u32 max_own_lanes = 64;  ///< host lanes one worker can serve

enum worker_state : u32 { state_running, state_paused, state_halted };
enum wake_reason : u32 { not_polled, ring_words, lane_words };

struct on_chip {
  // the outbox of the batch in hand
  u32 entries;         ///< atomic: messages
  u32 out_top;         ///< atomic: words
  u32 host_entries;    ///< atomic: those of `entries` that go to the host
  u32 clock_steps[2];  ///< atomic: most events of one actor in the round; used in turn
  u32 timer_top;       ///< atomic: free slots left on the timer stack
  u32 samples;         ///< atomic: dead letters reported to the host in this batch
  u32 dead_now;        ///< atomic: messages of the batch whose receiver is gone
  u32 forwarded_now;   ///< entries that came from host lanes; the host has counted them as sent
  u32 state;           ///< worker_state
  u32 pending;         ///< messages of the outbox not yet written

  u32 worker;
  // copies of memory's, for code that gets only this
  u32 workers;
  u32 out_capacity;
  u32 chip_out_words;
  u32 chip_entries;
  word* far_words;  ///< this worker's part of memory::out_words
  outbox_entry* far_entries;
  u64 now_ns;     ///< steady clock at the start of the turn
  u64 clock;      ///< hybrid logical clock: the last stamp given
  u64 ring_head;  ///< words taken from the ring
  u64 ring_told;  ///< of those, what the senders know of
  u64 spill_head;
  u64 spill_tail;
  u64 host_tail;    ///< words put into the host ring
  u64 timer_due;    ///< atomic: earliest due time, ~0 if none
  u64 stall_since;  ///< 0: moving
  u64 control_at;   ///< next look at the command word
  u64 heartbeat;    ///< looks at the command word
  u32 commanded;    ///< a look has seen a command that is not done yet
  u64 epoch;        ///< of the last command done
  long long clock_offset_ns;
  u32 over_half;                 ///< this worker is counted in memory::pressure
  u32 next_lane;                 ///< host lane to look at first
  u64 lane_head[max_own_lanes];  ///< words taken from each host lane served
  u64 lane_told[max_own_lanes];  ///< of those, what the host knows of
  u32 crowded;               ///< a batch of this turn filled all that it could: more may be waiting
  u32 woken;                 ///< wake_reason: what the idle poll has found and landed
  u32 landed;                ///< words in `in` from that poll
  u64 count[abi::counters];  ///< counted by lane 0 or by atomics

  // arrays
  word* in;  ///< [in_words] a batch as it came
  u32 in_words;
  abi::type_row* types;  ///< [type_count + 1] copies, a trip to memory less for each message
  abi::handler_entry* handlers;  ///< [handler_count]
  u32* start;                    ///< [in_words / 2 + 1] word where each message begins
  u32* claim;                    ///< [claim_slots] atomic: lane that may run, ~0 none
  u32* out_count;                ///< [workers + 1] atomic: words for each destination
  u64* out_base;                 ///< [workers + 1] reserved position
  u64* known_head;               ///< [workers + 1] last head seen of each destination
  outbox_entry* entry;           ///< [chip_entries]
  word* out;                     ///< [chip_out_words]
};

/// Bytes for the arrays of one worker, each aligned to 16.
constexpr u64 on_chip_bytes(const memory& m) {
  const u32 in_words = words_a_lane * m.lanes;
  auto up = [](u64 n) { return (n + 15) / 16 * 16; };
  return up(sizeof(on_chip)) + up(u64{in_words} * 16) +
         up((m.type_count + 1) * sizeof(abi::type_row)) +
         up(m.handler_count * sizeof(abi::handler_entry)) + up((in_words / 2 + 1) * u64{4}) +
         up(m.claim_slots * u64{4}) + up((m.workers + 1) * u64{4}) +
         2 * up((m.workers + 1) * u64{8}) + up(m.chip_entries * sizeof(outbox_entry)) +
         up(m.chip_out_words * u64{16});
}

/// Lays the arrays out behind the struct at `at` (16-byte aligned). One lane.
inline on_chip* place_on_chip(char* at, const memory& m) {
  const u32 in_words = words_a_lane * m.lanes;
  auto up = [](u64 n) { return (n + 15) / 16 * 16; };
  auto* c = reinterpret_cast<on_chip*>(at);
  at += up(sizeof(on_chip));
  auto take = [&](u64 bytes) {
    char* here = at;
    at += up(bytes);
    return here;
  };
  c->in_words = in_words;
  c->in = reinterpret_cast<word*>(take(u64{in_words} * 16));
  c->types = reinterpret_cast<abi::type_row*>(take((m.type_count + 1) * sizeof(abi::type_row)));
  c->handlers =
      reinterpret_cast<abi::handler_entry*>(take(m.handler_count * sizeof(abi::handler_entry)));
  c->start = reinterpret_cast<u32*>(take((in_words / 2 + 1) * u64{4}));
  c->claim = reinterpret_cast<u32*>(take(m.claim_slots * u64{4}));
  c->out_count = reinterpret_cast<u32*>(take((m.workers + 1) * u64{4}));
  c->out_base = reinterpret_cast<u64*>(take((m.workers + 1) * u64{8}));
  c->known_head = reinterpret_cast<u64*>(take((m.workers + 1) * u64{8}));
  c->entry = reinterpret_cast<outbox_entry*>(take(m.chip_entries * sizeof(outbox_entry)));
  c->out = reinterpret_cast<word*>(take(m.chip_out_words * u64{16}));
  return c;
}

/// Any lane: adds to a counter.
inline void count(on_chip& c, abi::counter which, u64 n = 1) {
  fetch_add<scope::block>(&c.count[static_cast<u32>(which)], n);
}
inline void count_dead(on_chip& c, abi::dead_reason why, u64 n = 1) {
  fetch_add<scope::block>(&c.count[static_cast<u32>(abi::counter::dead) + static_cast<u32>(why)],
                          n);
}

}  // namespace perdure::loop
