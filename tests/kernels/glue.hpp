// tests/kernels/glue.hpp - what stands between a test's handlers and the loop: how they send, ask for a message later, and read one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>

#include "kernels/dispatch/call.cuh"

namespace kernel_test {

using namespace perdure::loop;
namespace abi = perdure::abi;

/// Gives `send` the payload itself, or the handle of a buffer that holds it. @param send  (payload) -> whether it was placed.
/// @param lost  called where there is no buffer.
template <class Send, class Lost>
bool carry_bytes(lane_state& call, const void* payload, u32 bytes, Send send, Lost lost) {
  if (bytes <= abi::inline_payload) return send(payload_bytes{payload, bytes});
  const u32 buffer = take_buffer(*call.mem);
  if (buffer == ~0U) {
    lost();
    return false;
  }
  std::memcpy(buffer_at(*call.mem, buffer), payload, bytes);
  const u64 handle = publish_buffer(*call.mem, buffer);
  const bool placed = send(payload_bytes{&handle, sizeof(handle)});
  if (!placed) give_buffer(*call.mem, buffer);
  return placed;
}
inline bool send_bytes(lane_state& call, u64 to, u32 handler, const void* payload, u32 bytes) {
  return carry_bytes(
      call, payload, bytes, [&](const auto& carried) { return call.send(to, handler, carried); },
      [&] { call.exhausted(to, handler); });
}
inline bool send_host_bytes(lane_state& call, u64 to, u32 message, const void* payload, u32 bytes) {
  return carry_bytes(
      call, payload, bytes,
      [&](const auto& carried) {
        return call.send_host(to, abi::letter_of(message, bytes), carried);
      },
      [&] { call.no_buffer_to_host(false); });
}
inline bool reply_bytes(lane_state& call, u32 message, const void* payload, u32 bytes) {
  return carry_bytes(
      call, payload, bytes,
      [&](const auto& carried) { return call.reply(abi::letter_of(message, bytes), carried); },
      [&] { call.no_buffer_to_host(true); });
}
template <class T>
bool after_bytes(lane_state& call, u64 delay_ns, u64 to, u32 handler, const T& payload) {
  static_assert(sizeof(T) <= abi::inline_payload);
  return call.after(delay_ns, to, handler, payload_bytes{&payload, sizeof(T)});
}
template <class T>
T message_of(const message_view& view) {
  T out;
  if constexpr (sizeof(T) <= abi::inline_payload) {
    alignas(16) unsigned char payload[abi::unpacked_room(abi::max_words)];
    view.unpack(payload);
    std::memcpy(&out, payload, sizeof(T));
  } else {
    std::memcpy(&out, open_buffer(*view.mem, view.handle(), sizeof(T)), sizeof(T));
  }
  return out;
}

}  // namespace kernel_test
