// kernels/dispatch/carry.cuh - a message's payload on its way out of a device handler.
// Why: up to 240 bytes travel in registers, more in a pooled buffer whose handle travels; the sender's code is one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/lane_state.cuh"

namespace perdure::loop {

/// Gives `send` the handle of a buffer that is filled: a message of type M, over 240 bytes.
/// @param send  payload -> whether it was placed; if not the buffer goes back.
template <class M, class Send>
void carry_buffer(const memory& m, u32 buffer, Send send) {
  payload_sent<abi::words_for(sizeof(M)), sizeof(M)> payload{};
  const u64 handle = publish_buffer(m, buffer);
  payload.pieces.at[0] = static_cast<u32>(handle);
  payload.pieces.at[1] = static_cast<u32>(handle >> 32U);
  if (!send(payload)) give_buffer(m, buffer);
}

/// Gives `send` the payload, or the handle of a buffer filled with it. @param send  payload -> whether it was placed.
template <class M, class Send, class Exhausted>
void carry(const memory& m, const M& message, Send send, Exhausted exhausted) {
  if constexpr (sizeof(M) <= abi::inline_payload) {
    payload_sent<abi::words_for(sizeof(M)), sizeof(M)> payload{};
    copy_bytes(payload.pieces.at, &message, sizeof(M));
    send(payload);
  } else {
    const u32 buffer = take_buffer(m);
    if (buffer == ~0U) return exhausted();
    // a message of 16-bit members would be copied by 16 bits
    copy_bytes(__builtin_assume_aligned(buffer_at(m, buffer), buffer_align), &message, sizeof(M));
    carry_buffer<M>(m, buffer, send);
  }
}

/// The same of a message over 240 bytes that `fill` makes in its buffer.
template <class M, class Fill, class Send, class Exhausted>
void carry_in_place(const memory& m, Fill& fill, Send send, Exhausted exhausted) {
  const u32 buffer = take_buffer(m);
  if (buffer == ~0U) return exhausted();
  fill(*static_cast<M*>(__builtin_assume_aligned(buffer_at(m, buffer), buffer_align)));
  carry_buffer<M>(m, buffer, send);
}

}  // namespace perdure::loop
