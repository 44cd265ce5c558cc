// kernels/dispatch/buffers.cuh - pooled buffers for messages over 240 bytes; ownership moves with the message.
// Why: a large payload lies plain in memory and only its handle travels through the ring.
// Invariant: a buffer is on the free list, or owned by exactly one sender, message or receiver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/on_chip.cuh"

namespace perdure::loop {

/// Takes a buffer, ~0 if none is left. Any lane of any worker.
/// @memory  acquire, device: pairs with give_buffer's release; the former owner's reads come before our writes.
/// @source  Treiber's stack (1986) with a change count against reuse.
inline u32 take_buffer(const memory& m) {
  u64 top = load<order::acquire, scope::device>(m.buffer_top);
  for (;;) {
    const u32 index = static_cast<u32>(top);
    if (index == 0) return ~0U;
    // relaxed: a stale `next` is caught by the change count in the exchange below
    const u32 next = load<order::relaxed, scope::device>(&m.buffer_next[index - 1]);
    const u64 changed = ((top >> 32U) + 1) << 32U | next;
    if (swap_if(m.buffer_top, top, changed)) return index - 1;
  }
}
inline void give_buffer(const memory& m, u32 buffer) {
  u64 top = load<order::relaxed, scope::device>(m.buffer_top);
  for (;;) {
    store<order::relaxed, scope::device>(&m.buffer_next[buffer], static_cast<u32>(top));
    const u64 changed = ((top >> 32U) + 1) << 32U | (buffer + 1);
    if (swap_if(m.buffer_top, top, changed)) return;
  }
}
/// Makes what was written into the buffer visible to whoever takes the handle. @return the handle to send.
/// @memory  release, device: pairs with the acquire in open_buffer().
inline u64 publish_buffer(const memory& m, u32 buffer) {
  const u32 next = load<order::relaxed, scope::device>(&m.buffer_sequence[buffer]) + 1;
#ifdef PERDURE_BREAK_HANDLE  // deliberate break: tests must notice
  store<order::relaxed, scope::device>(&m.buffer_sequence[buffer], next);
#else
  store<order::release, scope::device>(&m.buffer_sequence[buffer], next);
#endif
  return static_cast<u64>(next) << 32U | buffer;
}

/// Buffers begin at multiples of this; the host sizes them so.
inline constexpr u32 buffer_align = 128;
inline char* buffer_at(const memory& m, u32 buffer) {
  return m.buffers + static_cast<u64>(buffer) * m.buffer_bytes;
}

/// The buffer behind a handle, readable. Waits, at most for the flight of one store that was issued before the
/// handle was sent.
/// @memory  acquire, device: pairs with publish_buffer().
inline const char* open_buffer(const memory& m, u64 handle) {
  const u32 buffer = static_cast<u32>(handle);
  while (load<order::acquire, scope::device>(&m.buffer_sequence[buffer]) !=
         static_cast<u32>(handle >> 32U)) {
  }
  return buffer_at(m, buffer);
}

/// What publish_buffer() gave, out of the message's second word.
inline u64 handle_in(word second) { return second.lo >> 56U | (second.hi & abi::data_mask) << 8U; }

/// Gives back the buffer of a message that nobody reads.
/// @memory  waits for the sender's writes as a reader would: without it they could land in the next owner's message.
inline void drop_buffer(const memory& m, u64 handle) {
  open_buffer(m, handle);
  give_buffer(m, static_cast<u32>(handle));
}

}  // namespace perdure::loop
