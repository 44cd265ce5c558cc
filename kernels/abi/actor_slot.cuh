// kernels/abi/actor_slot.cuh - where an actor's state lies: a header of 8 bytes, then the state.
// Why: generation and state come in with one trip to memory; host and device agree on the place.
// Invariant: slots of a chunk belong to consecutive indices; index i lives at worker i % workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/ref_bits.cuh"

namespace perdure::abi {

struct actor_header {
  u16 generation;
  u16 status;   ///< slot_status
  u32 handled;  ///< messages handled so far; keys ctx.random()
};
static_assert(sizeof(actor_header) == 8);

enum slot_status : u16 { slot_empty = 0, slot_alive = 1, slot_stopped = 2, slot_failed = 3 };

constexpr u32 state_offset(u32 align) {
  return align > sizeof(actor_header) ? align : sizeof(actor_header);
}
constexpr u32 slot_stride(u32 size, u32 align) {
  const u32 unit = align > 8 ? align : 8;
  return (state_offset(align) + size + unit - 1) / unit * unit;
}
/// Local slots of one worker that lie together in a chunk of an actor type: 2^chunk_shift.
inline constexpr u32 chunk_shift = 6;
inline constexpr u32 chunk_slots = 1U << chunk_shift;

/// One actor type as the loop sees it.
struct type_row {
  void** chunks;    ///< [chunk] -> [worker][chunk_slots] slots, null where there are none yet
  u32 chunk_count;  ///< length of `chunks`
  u32 stride;       ///< bytes a slot
  u32 offset;       ///< bytes from the header to the state
  u32 padding;
};

struct handler_entry {
  u16 actor;    ///< actor type id
  u16 message;  ///< message id
  u32 bytes;    ///< of the message
};

}  // namespace perdure::abi
