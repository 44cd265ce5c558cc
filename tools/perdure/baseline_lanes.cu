// tools/perdure/baseline_lanes.cu - host lanes by hand: rings of 64-byte messages in mapped host
// memory, in and out.
// Why: what inject and egress are compared with: the same 38 bytes, counted, summed and checked for
// order, but no actors, no envelope, no dispatch. A ring has one host thread at one end and one
// block of 256 threads at the other.
// How: every 16-byte word carries the ring's lap, so readiness and data come together; heads tell
// the room. Compiled by NVRTC at run time. Extends the project's probes (limits.cu).
// SPDX-License-Identifier: Apache-2.0
#include "kernels/platform/atomics.cuh"

using namespace perdure::loop;

constexpr u32 threads = 256;
constexpr u64 patience_ns = 5'000'000'000ULL;

struct counted {  // as counter in bench_actors.hpp
  u64 sum;
  u32 handled, errors;
};

__device__ __forceinline__ u64 now_ns() {
  u64 ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}
/// How many threads from the first on have `ok`. The block passes one more barrier before the next
/// call.
__device__ __forceinline__ u32 ready_run(bool ok, u32* first_missing) {
  if (threadIdx.x == 0) *first_missing = threads;
  const u32 n = __syncthreads_count(ok);
  if (n == 0 || n == threads) return n;
  if (!ok) atomicMin(first_missing, threadIdx.x);
  __syncthreads();
  return *first_missing;
}
/// Halves `from` and `from + 1` of a note in one 32-bit piece, as they count in its sum.
__device__ __forceinline__ u64 worth(u32 piece, u32 from) {
  return static_cast<u64>(piece & 0xffffU) * (2 * from + 1) +
         static_cast<u64>(piece >> 16) * (2 * from + 3);
}

/// Takes from ring blockIdx.x until `until` of it is reached. Words of a message: receiver, halves
/// 0-1, 2-3, lap | 4-5, 6-7, 8-9, lap | 10-11, 12-13, 14-15, lap | 16-17, 18, nothing, lap.
extern "C" __global__ void __launch_bounds__(threads)
    lanes_in(const word* rings, u32 ring_bits, u64* heads, const u64* untils, counted* actors,
             u32 actors_a_ring, u32* stalled) {
  __shared__ u32 first_missing;
  __shared__ bool over;
  const u32 t = threadIdx.x, capacity = 1U << ring_bits;
  const word* const ring = rings + static_cast<u64>(blockIdx.x) * capacity * 4;
  u64 head = 0, since = now_ns();
  for (;;) {
    const u64 at = head + t;
    const u32 lap = static_cast<u32>(at >> ring_bits) + 1;
    word w[4];
    bool ok = true;
#pragma unroll
    for (u32 k = 0; k < 4; ++k) {
      w[k] = load<order::relaxed, scope::system>(ring + (at & (capacity - 1)) * 4 + k);
      ok &= static_cast<u32>(w[k].hi >> 32) == lap;
    }
    const u32 n = ready_run(ok, &first_missing);
    if (t < n) {
      const u32 p0 = static_cast<u32>(w[0].lo >> 32);
      counted& c = actors[blockIdx.x * actors_a_ring + static_cast<u32>(w[0].lo)];
      if (c.handled != p0) ++c.errors;
      ++c.handled;
      u64 sum = worth(p0, 0) + worth(static_cast<u32>(w[0].hi), 2);
#pragma unroll
      for (u32 k = 1; k < 4; ++k) {
        sum += worth(static_cast<u32>(w[k].lo), 6 * k - 2) +
               worth(static_cast<u32>(w[k].lo >> 32), 6 * k);
        if (k < 3) sum += worth(static_cast<u32>(w[k].hi), 6 * k + 2);
      }
      c.sum += sum;
    }
    head += n;
    if (n != 0) since = 0;
    if (t == 0) {
      over = false;
      if (n != 0) {
        store<order::relaxed, scope::system>(heads + blockIdx.x * 16, head);
      } else {
        const u64 now = now_ns();
        if (since == 0) since = now;
        over = load<order::relaxed, scope::system>(untils + blockIdx.x * 16) == head;
        if (!over && now - since > patience_ns) over = *stalled = 1;
      }
    }
    __syncthreads();
    if (over) return;
  }
}

/// Fills ring blockIdx.x with `count` letters of `senders` senders in turn. Words: place, number,
/// halves 4-5, lap | 6-7, 8-9, 10-11, lap | 12-13, 14-15, 16-17, lap | 18, nothing, nothing, lap.
extern "C" __global__ void __launch_bounds__(threads)
    lanes_out(word* rings, u32 ring_bits, const u64* heads, u32 senders, u64 count, u32* stalled) {
  __shared__ bool over;
  const u32 t = threadIdx.x, capacity = 1U << ring_bits;
  word* const ring = rings + static_cast<u64>(blockIdx.x) * capacity * 4;
  u64 room_to = capacity;  // known to thread 0 only
  for (u64 base = 0; base < count; base += threads) {
    if (t == 0) {
      over = false;
      const u64 since = base + threads > room_to ? now_ns() : 0;
      while (base + threads > room_to && !over) {
        room_to = load<order::relaxed, scope::system>(heads + blockIdx.x * 16) + capacity;
        if (now_ns() - since > patience_ns) over = *stalled = 1;
      }
    }
    __syncthreads();
    if (over) return;
    const u64 at = base + t;
    if (at < count) {
      const u32 place = static_cast<u32>(at % senders), number = static_cast<u32>(at / senders);
      const u64 lap = static_cast<u64>(static_cast<u32>(at >> ring_bits) + 1) << 32;
      const u32 seed = place * 0x9e3779b9U + number * 0x85ebca6bU;
      const auto half = [&](u32 i) { return ((seed >> (i & 15U)) + 257U * i) & 0xffffU; };
      const auto piece = [&](u32 i) { return static_cast<u64>(half(i) | half(i + 1) << 16); };
      word* const to = ring + (at & (capacity - 1)) * 4;
      store<order::relaxed, scope::system>(
          to, word{place | static_cast<u64>(number) << 32, piece(4) | lap});
      store<order::relaxed, scope::system>(to + 1,
                                           word{piece(6) | piece(8) << 32, piece(10) | lap});
      store<order::relaxed, scope::system>(to + 2,
                                           word{piece(12) | piece(14) << 32, piece(16) | lap});
      store<order::relaxed, scope::system>(to + 3, word{half(18), lap});
    }
    __syncthreads();
  }
}
