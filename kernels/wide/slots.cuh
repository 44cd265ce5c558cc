// kernels/wide/slots.cuh - how link ends and states of wide actors go from the chip to their slots.
// Why: whoever leaves the chip, the one that is held or one that is cached, leaves it alike.
// Invariant: a state that goes out by the copy engine is in its slot when lane 0 has asked: bulk_out_done(). Nobody brings it
//            in before.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/handle.cuh"

namespace perdure::loop {

/// The link ends of an actor that is neither held nor cached.
inline abi::link_end* ends_in_slot(const abi::type_row& row, char* slot) {
  return reinterpret_cast<abi::link_end*>(slot + row.links_at);
}
/// Lanes lane, lane + lanes, ...: writes them there. @param from  on chip: [2][max_ports].
inline void put_ends_in_slot(const abi::type_row& row, char* slot, const abi::link_end* from,
                             u32 lane, u32 lanes) {
  abi::link_end* const to = ends_in_slot(row, slot);
  for (u32 i = lane; i < 2U * row.ports; i += lanes)
    to[i] = from[i / row.ports * abi::max_ports + i % row.ports];
}

/// Any lane: the state of the actor that is held, whose copies have begun before a barrier, is there.
inline void state_wait(const on_chip& c) {
  if constexpr (copies_in_bulk) {
    bulk_in_wait(c.gate);
  } else {
    async_wait();
  }
}

constexpr u32 whole_words(u32 bytes) { return (bytes + 15) / 16 * 16; }

/// Copies whole 16-byte words, the block side by side. Both ends are aligned and padded to them.
template <class Block, class Copy>
void copy_words(Block& b, word* to, const word* from, u32 bytes, Copy copy) {
  b.each([&](u32 lane) {
    for (u32 i = lane; i < (bytes + 15) / 16; i += b.lanes()) copy(to + i, from + i);
  });
}
/// Sets a state of `bytes` on its way to its slot. All lanes, behind a barrier behind has_written(); lanes that copy themselves
/// are done with it behind the next one.
template <class Block>
void send_state_out(Block& b, char* to, const char* from, u32 bytes) {
  if constexpr (copies_in_bulk) {
    b.lead([&] { bulk_out(to, from, whole_words(bytes), first_to_leave()); });
  } else {
    copy_words(b, reinterpret_cast<word*>(to), reinterpret_cast<const word*>(from), bytes,
               [policy = first_to_leave()](word* into, const word* out_of) {
                 store_16(into, *out_of, policy);
               });
  }
}

}  // namespace perdure::loop
