// kernels/dispatch/buffers.cuh - pooled buffers for messages over 240 bytes; ownership moves with the message.
// Why: a large payload lies plain in memory and only its handle travels through the ring.
// Invariant: a buffer is on the free list, or owned by exactly one sender, message or receiver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/host_buffers.cuh"

namespace perdure::loop {

/// A place of the ring of free buffers: the lap that it is for, and index + 1 of the buffer that waits there, 0 none yet.
constexpr u64 free_place(u64 lap, u32 buffer_behind) { return lap << 32U | buffer_behind; }
inline u64* place_of_free(const memory& m, u64 ticket) {
  return &m.buffer_free[ticket & ((u64{1} << m.buffer_shift) - 1)];
}
/// Of the ticket, from 1 on, as a place carries it.
inline u64 lap_of_free(const memory& m, u64 ticket) {
  return static_cast<u32>((ticket >> m.buffer_shift) + 1);
}

#if !defined(__CUDACC_RTC__)
/// The smallest ring for so many buffers.
constexpr u32 pool_shift(u32 buffers) {
  u32 shift = 0;
  while ((u64{1} << shift) < buffers) ++shift;
  return shift;
}
/// A pool that nobody has taken from. @param places  [2^pool_shift(buffers)] of the ring. @param ends  [3].
inline void fill_pool(u32 buffers, u64* places, u64 count, line_counter* ends) {
  for (u64 i = 0; i < count; ++i)
    places[i] = free_place(1, i < buffers ? static_cast<u32>(i) + 1 : 0);
  ends[buffers_taken].value = 0;
  ends[buffers_given].value = ends[buffers_left].value = buffers;
}
#endif

/// Takes a buffer, ~0 if none is left. Any lane of any worker. It waits, at most for others that are between two of their
/// own stores: thousands of lanes at one stack's head would mostly undo each other's exchanges.
/// @memory  acquire, device: pairs with give_buffer's release; the former owner's reads come before our writes.
/// @source  Vyukov's bounded queue of many producers and consumers (2010), with a count in front, so that nobody queues for
///          what is not there.
inline u32 take_buffer(const memory& m) {
  u64* const left = &m.buffer_ends[buffers_left].value;
  for (;;) {
    if (static_cast<long long>(load<order::relaxed, scope::device>(left)) <= 0) {
      // others' vain attempts lower the count for a moment; tickets tell: who took was before who gave
      const u64 taken = load<order::acquire, scope::device>(&m.buffer_ends[buffers_taken].value);
      if (load<order::relaxed, scope::device>(&m.buffer_ends[buffers_given].value) == taken)
        return ~0U;
      continue;
    }
    if (static_cast<long long>(fetch_add<scope::device>(left, ~u64{0})) > 0) break;
    fetch_add<scope::device>(left, u64{1});
  }
  const u64 ticket = fetch_add<scope::device>(&m.buffer_ends[buffers_taken].value, u64{1});
  u64* const place = place_of_free(m, ticket);
  const u64 lap = lap_of_free(m, ticket);
  u64 there = 0;
  do there = load<order::acquire, scope::device>(place);
  while (there >> 32U != lap || static_cast<u32>(there) == 0);
  store<order::relaxed, scope::device>(
      place, free_place(lap_of_free(m, ticket + (u64{1} << m.buffer_shift)), 0));
  return static_cast<u32>(there) - 1;
}
/// Gives a buffer back. @param handle  of a message; of a pooled one what take_buffer() gave is enough.
inline void give_buffer(const memory& m, u64 handle) {
  const u32 buffer = static_cast<u32>(handle);
  if (is_of_host(m, buffer)) return give_to_host(m, handle);
  const u64 ticket = fetch_add<scope::device>(&m.buffer_ends[buffers_given].value, u64{1});
  u64* const place = place_of_free(m, ticket);
  const u64 lap = lap_of_free(m, ticket);
  // whoever has the ticket of a lap before may not have looked yet
  while (load<order::relaxed, scope::device>(place) != free_place(lap, 0)) {
  }
  store<order::release, scope::device>(place, free_place(lap, buffer + 1));
  fetch_add<scope::device>(&m.buffer_ends[buffers_left].value, u64{1});
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

/// The buffer behind a handle, readable. Waits, at most for the flight of one store that was issued before the
/// handle was sent; on a CPU thread it copies a message of the host's first, which on a device is brought by now: by
/// bring_from(), or, with a wide actor's, by bring_together(). @param bytes  of the message.
/// @memory  acquire, device: pairs with publish_buffer().
inline const char* open_buffer(const memory& m, u64 handle, u32 bytes) {
  const u32 buffer = static_cast<u32>(handle);
#if defined(__CUDACC_RTC__)
  (void)bytes;
#else
  if (is_of_host(m, buffer) && !is_brought(m, handle)) bring_alone(m, handle, bytes);
#endif
  while (load<order::acquire, scope::device>(&m.buffer_sequence[buffer]) !=
         static_cast<u32>(handle >> 32U)) {
  }
  return buffer_at(m, buffer);
}

/// What publish_buffer() or handle_of_host() gave, out of the message's second word.
inline u64 handle_in(word second) { return second.lo >> 56U | (second.hi & abi::data_mask) << 8U; }

/// Gives back the buffer of a message that nobody reads.
/// @memory  waits for the sender's writes as a reader would: without it they could land in the next owner's message.
inline void drop_buffer(const memory& m, u64 handle) {
  if (!is_of_host(m, static_cast<u32>(handle))) open_buffer(m, handle, 0);
  give_buffer(m, handle);
}

}  // namespace perdure::loop
