// kernels/dispatch/host_buffers.cuh - messages over 240 bytes that the host sends.
// Why: the host cannot write the workers' memory while the loop runs, so it fills a buffer of its own; reading that where it
//      lies would cost a trip over the bus for each read, so who has taken the message copies it once.
// Invariant: a host's buffer and its copy are one thing: filled by the host, then of one message, then given back, by one
//            word each that only one of the two writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/on_chip.cuh"

namespace perdure::loop {

/// Buffers begin at multiples of this; the host sizes them so.
inline constexpr u32 buffer_align = 128;
/// Pooled ones come first, then the copies of the host's.
inline char* buffer_at(const memory& m, u32 buffer) {
  return m.buffers + static_cast<u64>(buffer) * m.buffer_bytes;
}
inline bool is_of_host(const memory& m, u32 buffer) {
  return host_buffers_are_built && buffer >= m.buffer_count;
}
/// What a message carries that lies in host buffer `which`, filled for the `filled`-th time.
constexpr u64 handle_of_host(u32 pooled, u32 which, u32 filled) {
  return static_cast<u64>(filled) << 32U | (pooled + which);
}

/// Waits until what the host has filled is there: at most for the flight of stores that came before the message's.
/// @memory  acquire, system: pairs with the release by which the host says that it has filled it.
inline void await_host(const memory& m, u64 handle) {
  const u32* const filled = &m.host_filled[static_cast<u32>(handle) - m.buffer_count];
  while (load<order::acquire, scope::system>(filled) != static_cast<u32>(handle >> 32U)) {
  }
}
/// Whether the copy has been made: by bring_batch(), for who opens the message behind it.
/// @memory  acquire, device: pairs with note_brought().
inline bool is_brought(const memory& m, u64 handle) {
  return load<order::acquire, scope::device>(&m.buffer_sequence[static_cast<u32>(handle)]) ==
         static_cast<u32>(handle >> 32U);
}
inline void note_brought(const memory& m, u64 handle) {
  store<order::release, scope::device>(&m.buffer_sequence[static_cast<u32>(handle)],
                                       static_cast<u32>(handle >> 32U));
}

/// Words `first`, `first` + `apart`, ... below `end` of a copy, behind await_host(): several are under way at once, since each
/// is a trip over the bus. @param buffer_of  (u32 i) -> buffer. @param place_of  (u32 i) -> word of it, or ~0: none.
template <class BufferOf, class PlaceOf>
void copy_words(const memory& m, u32 first, u32 end, u32 apart, BufferOf buffer_of,
                PlaceOf place_of) {
  constexpr u32 at_once = 8;
  for (u32 i = first; i < end; i += at_once * apart) {
    word w[at_once];
    word* to[at_once];
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 k = 0; k < at_once; ++k) {
      const u32 at = i + k * apart;
      const u32 place = at < end ? place_of(at) : ~0U;
      to[k] = nullptr;
      if (place == ~0U) continue;
      const u32 buffer = buffer_of(at);
      const u64 offset = static_cast<u64>(buffer - m.buffer_count) * m.buffer_bytes;
      w[k] = reinterpret_cast<const word*>(m.host_buffers + offset)[place];
      to[k] = reinterpret_cast<word*>(buffer_at(m, buffer)) + place;
    }
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 k = 0; k < at_once; ++k)
      if (to[k] != nullptr) *to[k] = w[k];
  }
}
constexpr u32 words_of_bytes(u32 bytes) {
  return (bytes + u32{sizeof(word)} - 1) / u32{sizeof(word)};
}

#if !defined(__CUDACC_RTC__)
/// One lane by itself: on CPU threads.
inline void bring_alone(const memory& m, u64 handle, u32 bytes) {
  const u32 buffer = static_cast<u32>(handle);
  await_host(m, handle);
  copy_words(m, 0, words_of_bytes(bytes), 1, [&](u32) { return buffer; }, [](u32 i) { return i; });
  note_brought(m, handle);
}
#endif
/// All lanes, for a message that all of them read. Begins and ends with a barrier.
template <class Block>
const char* bring_together(Block& b, const memory& m, u64 handle, u32 bytes) {
  const u32 buffer = static_cast<u32>(handle);
  b.once([&] { await_host(m, handle); });
  b.region([&](u32 lane) {
    copy_words(
        m, lane, words_of_bytes(bytes), b.lanes(), [&](u32) { return buffer; },
        [](u32 i) { return i; });
  });
  return buffer_at(m, buffer);
}

/// The message has been read, or nobody will.
/// @memory  release, system, behind all that this lane has read of the copy, or written to it, and others that have met it at
///          a barrier: pairs with the host's acquire before it fills the buffer again, which another worker may then copy.
inline void give_to_host(const memory& m, u64 handle) {
  store<order::release, scope::system>(&m.host_given[static_cast<u32>(handle) - m.buffer_count],
                                       static_cast<u32>(handle >> 32U));
}

}  // namespace perdure::loop
