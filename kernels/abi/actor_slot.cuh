// kernels/abi/actor_slot.cuh - where an actor's state lies: a header of 8 bytes, then the state.
// Why: generation and state come in with one trip to memory; host and device agree on the place.
// Invariant: slots of a chunk belong to consecutive indices; index i lives at worker i % workers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/overflow.cuh"
#include "kernels/abi/ref_bits.cuh"

namespace perdure::abi {

struct alignas(8) actor_header {  // it is read and written as a whole
  u16 generation;
  u16 status;   ///< slot_status
  u32 handled;  ///< messages handled so far; keys ctx.random()
};
static_assert(sizeof(actor_header) == 8);

enum slot_status : u16 { slot_empty = 0, slot_alive = 1, slot_stopped = 2, slot_failed = 3 };

constexpr u32 state_offset(u32 align) {
  return align > sizeof(actor_header) ? align : sizeof(actor_header);
}
/// A multiple of 16: lanes side by side move slots by words of so many bytes.
constexpr u32 slot_stride(u32 size, u32 align) {
  const u32 unit = align > 16 ? align : 16;
  return (state_offset(align) + size + unit - 1) / unit * unit;
}
/// Slots of small actors up to so many bytes, aligned to no more than 16, are brought on chip with their messages.
inline constexpr u32 staged_most = 128;
constexpr bool is_staged(u32 size, u32 align) {
  return align <= 16 && slot_stride(size, align) <= staged_most;
}
/// Lanes of a processor whose actors are all small, unless it is said. Half as many where every slot stays in memory: more
/// registers for handlers, and more of the first cache for what they read (docs/adr/063).
constexpr u32 usual_lanes(bool all_in_memory) { return all_in_memory ? 256 : 512; }
/// Where such slots lie side by side on chip: apart by an odd number of 16 bytes, so that lanes use all banks.
constexpr u32 staged_pitch(u32 stride) { return (stride / 16 | 1U) * 16; }
/// Local slots of one worker that lie together in a chunk of a small actor type: 2^chunk_shift. Of a wide one: one.
inline constexpr u32 chunk_shift = 6;
inline constexpr u32 chunk_slots = 1U << chunk_shift;

/// One actor type as the loop sees it.
struct type_row {
  void** chunks;    ///< [chunk] -> [worker][2^chunk_shift] slots, null where there are none yet
  u32 chunk_count;  ///< length of `chunks`
  u32 stride;       ///< bytes a slot
  u32 offset;       ///< bytes from the header to the state
  u32 chunk_shift;
  // wide actors: behind the state lie [2][ports] link_end, first the in-ports, then the per_lane values
  u32 size;           ///< bytes of the state
  u32 links_at;       ///< bytes from the header to the link ends
  u32 private_at;     ///< bytes from the header to the per_lane values: [lanes] private_bytes
  u32 private_bytes;  ///< a lane
  u16 lanes;          ///< 0: a small actor
  u16 ports;
  u16 on_chip;  ///< whether the state is brought on chip: a wide actor's while it is held, a small one's for a batch
  u16 joined;   ///< 1 + handler of joined messages, 0 none
};

/// Slots of a wide actor and their parts begin at multiples of this.
inline constexpr u32 wide_align = 128;
constexpr u32 wide_up(u32 bytes) { return (bytes + wide_align - 1) / wide_align * wide_align; }

struct handler_entry {
  u8 actor;              ///< actor type id
  overflow on_overflow;  ///< of that type
  u16 message;           ///< message id
  u32 bytes;             ///< of the message

  handler_entry() = default;
  constexpr handler_entry(u32 of, u32 takes, u32 size, overflow rule = overflow::wait)
      : actor{static_cast<u8>(of)},
        on_overflow{rule},
        message{static_cast<u16>(takes)},
        bytes{size} {}
};
static_assert(sizeof(handler_entry) == 8);

}  // namespace perdure::abi
