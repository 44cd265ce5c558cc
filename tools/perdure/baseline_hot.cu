// tools/perdure/baseline_hot.cu - one hot counter by hand: a warp that takes from one ring, and all
// other blocks that fill it.
// Why: the ceilings that `perdure bench route --hot` is compared with. The counter handles one
// message at a time, in the order of the ring, with its state in registers; or 32 at once, as its
// on_run() does. The messages and their worth are those of hot_actors.hpp. The room in the ring holds the senders back, instead of an
// answer to every burst. Compiled by NVRTC at run time.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/platform/atomics.cuh"

using namespace perdure::loop;

struct hot_outcome {
  u64 handled;
  u32 sum, errors, stalled, spare;
};

constexpr u64 patience_ns = 3'000'000'000ULL;
constexpr u32 line = 16;  // u64s between counters
constexpr u32 everybody = 0xffffffffU;

__device__ __forceinline__ u64 now_ns() {
  u64 ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}
__device__ __forceinline__ u32 mix(u32 x) {
  x ^= x >> 16;
  x *= 0x7feb352dU;
  x ^= x >> 15;
  x *= 0x846ca68bU;
  return x ^ x >> 16;
}
__device__ __forceinline__ u64 lap_of(u64 at, u32 bits) { return static_cast<u32>(at >> bits) + 1; }

constexpr u32 deep = 4, batch = 32 * deep;  // words a lane has under way: the memory is far away

__device__ __forceinline__ void load_batch(word (&w)[deep], const word* ring, u64 head, u32 mask) {
#pragma unroll
  for (u32 k = 0; k < deep; ++k)
    w[k] = load<order::relaxed, scope::device>(ring + ((head + 32 * k + threadIdx.x) & mask));
}
/// How many words of the batch are there, from the first on.
__device__ __forceinline__ u32 ready_run(const word (&w)[deep], u64 head, u32 bits) {
  u32 n = 0;
#pragma unroll
  for (u32 k = 0; k < deep; ++k) {
    const bool ok = w[k].hi == lap_of(head + 32 * k + threadIdx.x, bits);
    const u32 ready = __ballot_sync(everybody, ok);
    if (n == 32 * k) n += ready == everybody ? 32 : __ffs(~ready) - 1;
  }
  return n;
}

/// The first warp of block 0: takes the ready run of a batch, handles its words one after the
/// other, or each lane its own, while the next batch is on its way.
template <bool Beside>
__device__ void take_all(const word* ring, u32 bits, u64* head_at, u32 pumps, u64 total,
                         hot_outcome* out) {
  const u32 mask = (1U << bits) - 1;
  u64 head = 0, since = 0;
  u32 sum = 0, errors = 0;
  word w[deep], next[deep];
  load_batch(w, ring, head, mask);
  while (head < total) {
    const u32 n = ready_run(w, head, bits);
    if (n == 0) {
      const u64 now = now_ns();
      if (since == 0) since = now;
      if (__any_sync(everybody, now - since > patience_ns)) {
        out->stalled = 1;
        break;
      }
      load_batch(w, ring, head, mask);
      continue;
    }
    since = 0;
    load_batch(next, ring, head + n, mask);
#pragma unroll
    for (u32 k = 0; k < deep; ++k) {
      const u32 here = n > 32 * k ? (n - 32 * k < 32 ? n - 32 * k : 32) : 0;
      if (Beside) {
        const u32 pump = static_cast<u32>(w[k].lo), number = static_cast<u32>(w[k].lo >> 32);
        const bool mine = threadIdx.x < here;
        errors += __popc(__ballot_sync(everybody, mine && pump >= pumps));
        sum += __reduce_add_sync(everybody, mine ? mix(number + pump * 0x9e3779b9U) : 0U);
        continue;
      }
      for (u32 i = 0; i < here; ++i) {
        const u32 pump = __shfl_sync(everybody, static_cast<u32>(w[k].lo), i);
        const u32 number = __shfl_sync(everybody, static_cast<u32>(w[k].lo >> 32), i);
        errors += pump >= pumps;
        sum += mix(number + pump * 0x9e3779b9U);
      }
    }
    head += n;
    // all lanes have their words of the batch: those places may be written again
    if (threadIdx.x == 0) store<order::relaxed, scope::device>(head_at, head);
#pragma unroll
    for (u32 k = 0; k < deep; ++k) w[k] = next[k];
  }
  if (threadIdx.x == 0) {
    out->handled = head;
    out->sum = sum;
    out->errors = errors;
  }
}

/// counters: head, then tail a line further; zeroed, as the ring is. beside: 32 messages at once.
extern "C" __global__ void hot(word* ring, u32 bits, u64* counters, u32 rounds, u32 beside,
                               hot_outcome* out) {
  __shared__ u64 base;
  __shared__ bool over;
  const u32 pumps = (gridDim.x - 1) * blockDim.x, mask = (1U << bits) - 1;
  if (blockIdx.x == 0) {
    if (threadIdx.x >= 32) return;
    const u64 total = static_cast<u64>(pumps) * rounds;
    if (beside != 0) {
      take_all<true>(ring, bits, counters, pumps, total, out);
    } else {
      take_all<false>(ring, bits, counters, pumps, total, out);
    }
    return;
  }
  const u32 pump = (blockIdx.x - 1) * blockDim.x + threadIdx.x;
  for (u32 number = 0; number < rounds; ++number) {
    if (threadIdx.x == 0) {
      over = false;
      base = atomicAdd(reinterpret_cast<unsigned long long*>(counters + line), blockDim.x);
      for (u64 since = now_ns(); base + blockDim.x > load<order::relaxed, scope::device>(counters) +
                                                         (static_cast<u64>(mask) + 1);) {
        if (now_ns() - since > patience_ns) {
          over = out->stalled = 1;
          break;
        }
      }
    }
    __syncthreads();
    if (over) return;
    const u64 at = base + threadIdx.x;
    store<order::relaxed, scope::device>(
        ring + (at & mask), word{pump | static_cast<u64>(number) << 32, lap_of(at, bits)});
    __syncthreads();
  }
}
