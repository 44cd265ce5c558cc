// kernels/dispatch/memory.cuh - where everything of a system lies; filled by the host before the loop starts.
// Why: nothing is allocated while the loop runs, so all places are known to all workers from the start.
// Invariant: constant while the loop runs, except what the pointers point to.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/actor_slot.cuh"
#include "kernels/abi/control.cuh"
#include "kernels/abi/envelope.cuh"
#include "kernels/platform/atomics.cuh"
#include "kernels/platform/builtins.cuh"

namespace perdure::loop {

/// A counter in a line of its own, so that polls of one do not disturb another.
struct alignas(128) line_counter {
  u64 value;
};

/// One message in an outbox: where its words lie and where they go. words == 0: written.
struct outbox_entry {
  u32 slot;    ///< first word in the outbox
  u32 offset;  ///< words from the start of the batch's reservation at `dst`
  u16 dst;     ///< worker, or `workers` for the host ring
  u16 words;
};

/// A message that waits for its time.
struct timer_slot {
  u64 due_ns;    ///< 0: free
  u64 stamp;     ///< of the call of after(): ties are fired in this order
  u64 receiver;  ///< reference
  u64 padding;
  word data[abi::max_words];
};

/// A host thread's way in: one producer (the host), one consumer (a worker).
struct host_lane {
  word* words;  ///< 2^shift, host memory
  u64* head;    ///< host memory: words taken, written by the worker, release.sys
  u32 shift;
};

struct memory {
  u32 workers;
  u32 lanes;
  u32 system;  ///< 8 bits of every reference
  u32 host_lane_count;
  u64 seed;
  u64 worker_magic;  ///< ceil(2^64 / workers), for index / workers
  u64 stall_ns;
  u64 control_ns;  ///< between two looks at the command word while busy

  word* rings;          ///< [workers][2^ring_shift]
  line_counter* tails;  ///< [workers] words reserved by senders
  line_counter* heads;  ///< [workers] words taken by the owner
  u32 ring_shift;
  u32 spill_shift;
  word* spills;  ///< [workers][2^spill_shift]

  word* out_words;  ///< [workers][out_capacity]: the part of an outbox that does not fit on chip
  outbox_entry* out_entries;  ///< [workers][out_capacity / 2]
  u32 out_capacity;           ///< words
  u32 chip_out_words;         ///< words of an outbox on chip
  u32 chip_entries;           ///< entries of an outbox on chip
  u32 claim_slots;            ///< power of two

  timer_slot* timers;  ///< [workers][timer_capacity]
  u32* timer_free;     ///< [workers][timer_capacity]: a stack of free slots
  u32 timer_capacity;
  u32 host_shift;  ///< words of a host ring: 2^host_shift

  word* host_rings;            ///< [workers][2^host_shift], host memory
  line_counter* host_heads;    ///< [workers], host memory: words the host has taken
  host_lane* host_lanes;       ///< [host_lane_count]
  abi::control_page* control;  ///< [workers], host memory
  u64* pressure;               ///< workers whose spill is over half full
  u64* in_flight;  ///< [workers][lanes]: receiver index and handler of the call under way, 0 none

  const abi::type_row* types;  ///< [actor types + 1]
  const abi::handler_entry* handlers;
  u32 type_count;
  u32 handler_count;

  char* buffers;         ///< [buffer_count][buffer_bytes] pooled buffers for large messages
  u32* buffer_next;      ///< [buffer_count]: the free list
  u32* buffer_sequence;  ///< [buffer_count]: how often the buffer was published
  u64* buffer_top;       ///< free list's head: count of changes 32 | index + 1 32
  u32 buffer_count;
  u32 buffer_bytes;
};

/// The worker that owns actors with this index.
inline u32 quotient(const memory& m, u32 index) {
  return m.workers == 1 ? index : static_cast<u32>(multiply_high(m.worker_magic, index));
}
inline u32 worker_of(const memory& m, u32 index) { return index - quotient(m, index) * m.workers; }

/// The slot of an actor, or null if there is no such slot yet.
inline char* slot_of(const memory& m, const abi::type_row& row, u32 index) {
  const u32 local = quotient(m, index);
  const u32 chunk = local >> abi::chunk_shift;
  if (chunk >= row.chunk_count) return nullptr;
  char* base = static_cast<char*>(row.chunks[chunk]);
  if (base == nullptr) return nullptr;
  const u32 owner = index - local * m.workers;
  const u32 place = owner * abi::chunk_slots + (local & (abi::chunk_slots - 1));
  return base + static_cast<u64>(place) * row.stride;
}

}  // namespace perdure::loop
