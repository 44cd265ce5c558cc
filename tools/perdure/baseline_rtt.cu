// tools/perdure/baseline_rtt.cu - the kernels of the round-trip baselines; compiled by NVRTC at run time.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/clock/hybrid.cuh"
#include "kernels/platform/atomics.cuh"
#include "kernels/platform/device_clock.cuh"

using namespace perdure::loop;

/// Writes the number after the one found; the host checks it after synchronising.
extern "C" __global__ void count_up(volatile unsigned* word) { *word = *word + 1; }

/// Answers requests in `request` with the same number in `reply` until the request is all ones.
extern "C" __global__ void answer_words(volatile unsigned* request, volatile unsigned* reply) {
  unsigned last = 0;
  for (;;) {
    const unsigned now = *request;
    if (now == last) continue;
    *reply = now;
    last = now;
    if (now == 0xffffffffU) return;
  }
}

/// Of an actor; as large as a user's.
struct alignas(64) echo_state {
  u32 handled;
};
/// As in mix.hpp.
__device__ __forceinline__ u32 mix(u32 x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ x >> 16;
}

/// Answers as bench_rtt.cpp's actor does, until an ask has `nobody` for its receiver: a ring of asks and one of replies, both
/// bounded, in mapped host memory, two 16-byte words a message. Words of an ask: receiver, ask, number, lap | stamp, lap; of a
/// reply: ask, mixed, handled, lap | stamp, lap. Two threads have a word each, so that a message is one access.
/// A look that comes just too early costs a trip over the bus, so it waits behind a reply as long as the host takes to ask
/// again, which it learns (as scouts.cuh, docs/adr/051).
/// @memory  all relaxed: each word carries its lap, so who sees it has it. The heads tell the other side what was read.
extern "C" __global__ void __launch_bounds__(2)
    answer_asks(const word* asks, word* replies, u32 ring_bits, u64* asks_head,
                const u64* replies_head, echo_state* actors) {
  constexpr u32 nobody = 0xffffffffU, both = 3, most_wait = 1200;
  const u32 k = threadIdx.x, mask = (1U << ring_bits) - 1;
  device_clock now;
  u64 clock = 0, room_to = u64{mask} + 1;
  long long done = 0, wait = 0;
  for (u64 at = 0;; ++at) {
    const u64 place = (at & mask) * 2 + k;
    const u64 lap = static_cast<u64>(static_cast<u32>(at >> ring_bits) + 1) << 32;
    word w;
    u32 in_vain = 0;
    while (clock64() - done < wait) {
    }
    for (;; ++in_vain) {
      w = load<order::relaxed, scope::system>(asks + place);
      if (__all_sync(both, w.hi >> 32 == lap >> 32)) break;
    }
    if (in_vain == 0) wait -= (wait + 255) / 256;
    if (in_vain == 1 && wait < most_wait) wait += 64;
    const u64 to_and_ask = __shfl_sync(both, w.lo, 0), received = __shfl_sync(both, w.lo, 1);
    const u32 number = __shfl_sync(both, static_cast<u32>(w.hi), 0);
    const u32 receiver = static_cast<u32>(to_and_ask);
    if (receiver == nobody) return;
    clock = merge_clock(clock, received, stamp_at(now() - epoch_2026_ns)) + 1;
    const u32 handled = actors[receiver].handled + 1;
    __syncwarp(both);
    if (k == 0) actors[receiver].handled = handled;
    while (at >= room_to) {
      room_to = load<order::relaxed, scope::system>(replies_head) + mask + 1;
    }
    const u64 reply = to_and_ask >> 32 | static_cast<u64>(mix(number)) << 32;
    store<order::relaxed, scope::system>(replies + place,
                                         k == 0 ? word{reply, handled | lap} : word{clock, lap});
    if (k == 0 && (at & 63) == 63) store<order::relaxed, scope::system>(asks_head, at + 1);
    done = clock64();
  }
}
