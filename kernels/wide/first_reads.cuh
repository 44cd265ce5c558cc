// kernels/wide/first_reads.cuh - what actors have said that their next calls read first: noted while they are held, kept with
//                                what they wait for.
// Why: only an actor knows where in its state its next call begins; who asks for it, ahead.cuh, does so before it is held.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/on_chip.cuh"

namespace perdure::loop {

inline abi::first_read* first_reads_of(const on_chip& c, const memory& m, u32 place) {
  return m.first_reads +
         (static_cast<u64>(c.worker) * abi::noted_actors + place) * abi::first_reads;
}

/// Lane 0: the handler in hand says of its actor's next call that it begins to read there.
inline void note_first_read(on_chip& c, const void* at, u64 bytes) {
  const u32 n = c.begins;
  if (n == abi::first_parts) return;
  c.begins_at[n] = {reinterpret_cast<u64>(at), static_cast<u32>(bytes / 16 * 16), 0};
  c.begins = n + 1;
}
/// The next message of an in-port, if it comes through memory and from somebody else.
inline abi::first_read next_message_of(const abi::link_end& in) {
  if (in.slots == 0 || in.own != 0 || in.where == abi::tier::chip) return {};
  return {reinterpret_cast<u64>(in.words + place_in_link(in, 0, in.count + 1)),
          in.words_a_message * static_cast<u32>(sizeof(word)), 0};
}
/// What the held actor's next call reads first; the i-th of first_reads. Any lane.
inline abi::first_read first_read_of(const on_chip& c, const memory& m, u32 i) {
  if (i >= abi::first_parts) return next_message_of(c[m.ends][i - abi::first_parts]);
  return i < c.begins ? c.begins_at[i] : abi::first_read{};
}

}  // namespace perdure::loop
