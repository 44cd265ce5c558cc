// tools/perdure/baseline_hop.cu - hops by hand: 16-byte words that carry their own number, and
// nothing else.
// Why: the floor of a hop between two blocks, and between two warps of one; the accesses are the
// loop's own. Compiled by NVRTC at run time.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/platform/atomics.cuh"

using namespace perdure::loop;

struct rally {
  u64 nanoseconds;
  u32 errors;
  u32 stalled;
};

__device__ __forceinline__ u64 now_ns() {
  u64 ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns;
}

/// Waits for the word with this number. @return false if it does not come.
template <scope S>
__device__ bool take(const word* at, u64 number, rally* out) {
  for (u32 looks = 0; looks < 1U << 26; ++looks) {
    const word w = load<order::relaxed, S>(at);
    if (w.lo < number) continue;
    if (w.lo != number || w.hi != number * 0x9e3779b97f4a7c15ULL) out->errors = 1;
    return true;
  }
  out->stalled = 1;
  return false;
}
template <scope S>
__device__ void give(word* at, u64 number) {
  store<order::relaxed, S>(at, word{number, number * 0x9e3779b97f4a7c15ULL});
}

/// Numbers 1..hops; `first` sends the odd ones.
template <scope S>
__device__ void play(word* mine, word* theirs, u32 hops, bool first, rally* out) {
  const u64 from = now_ns();
  for (u64 n = 1; n <= hops; ++n) {
    if ((n & 1) == (first ? 1U : 0U)) {
      give<S>(theirs, n);
    } else if (!take<S>(mine, n, out)) {
      return;
    }
  }
  if (first) out->nanoseconds = now_ns() - from;
}

/// Blocks `a` and `b` of the grid play; the others leave. Words: zeroed, 256 bytes apart.
extern "C" __global__ void hop_blocks(word* words, u32 a, u32 b, u32 hops, rally* out) {
  if (threadIdx.x != 0) return;
  if (blockIdx.x == a) play<scope::device>(words, words + 16, hops, true, out);
  if (blockIdx.x == b) play<scope::device>(words + 16, words, hops, false, out);
}

/// Two warps of one block play in shared memory.
extern "C" __global__ void hop_warps(u32 hops, rally* out) {
  __shared__ word words[32];
  if (threadIdx.x < 32) words[threadIdx.x] = word{0, 0};
  __syncthreads();
  if (threadIdx.x == 0) play<scope::block>(words, words + 16, hops, true, out);
  if (threadIdx.x == 32) play<scope::block>(words + 16, words, hops, false, out);
}
