// tools/perdure/baseline_sync.cu - barriers by hand: the whole grid, a cluster, or neighbours in a
// ring only.
// Why: what a step costs that blocks take together, whatever they compute in it.
// Every 64th step is checked: each block has written the step's number, and finds its neighbour's.
// Compiled by NVRTC at run time. Extends the project's probes (limits.cu).
// SPDX-License-Identifier: Apache-2.0
#include "kernels/platform/atomics.cuh"

using namespace perdure::loop;

struct outcome {
  u32 errors;
  u32 checked;
  u32 stalled;
  u32 spare;
};

constexpr u32 line = 32;  // u32s apart: 128 bytes
constexpr u32 most_looks = 1U << 24;

/// Waits until the word is at least `value`. @return false if it does not come.
__device__ __forceinline__ bool reach(const u32* at, u32 value, outcome* out) {
  for (u32 looks = 0; looks < most_looks; ++looks) {
    if ((int)(load<order::acquire, scope::device>(at) - value) >= 0) return true;
  }
  out->stalled = 1;
  return false;
}
__device__ __forceinline__ void put(u32* notes, u32 step) {
  if (step % 64 == 0 && threadIdx.x == 0)
    store<order::relaxed, scope::device>(notes + blockIdx.x * line, step);
}
__device__ __forceinline__ void check(const u32* notes, u32 of, u32 step, outcome* out) {
  if (step % 64 != 0 || threadIdx.x != 0) return;
  if (load<order::relaxed, scope::device>(notes + of * line) != step) atomicAdd(&out->errors, 1U);
  atomicAdd(&out->checked, 1U);
}

/// words: [0] the counter of arrivals, from [line] on a note a block; zeroed.
extern "C" __global__ void sync_grid(u32* words, u32 steps, outcome* out) {
  __shared__ bool fine;
  u32* const notes = words + line;
  const u32 next = (blockIdx.x + 1) % gridDim.x;
  for (u32 step = 1; step <= steps; ++step) {
    put(notes, step);
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(words, 1U);
      fine = reach(words, step * gridDim.x, out);
    }
    __syncthreads();
    if (!fine) return;
    check(notes, next, step, out);
  }
}

/// words: a flag a block, then a note a block; zeroed.
extern "C" __global__ void sync_neighbours(u32* words, u32 steps, outcome* out) {
  __shared__ bool fine[2];
  const u32 b = blockIdx.x, blocks = gridDim.x;
  const u32 left = (b + blocks - 1) % blocks, right = (b + 1) % blocks;
  u32* const notes = words + blocks * line;
  for (u32 step = 1; step <= steps; ++step) {
    put(notes, step);
    __syncthreads();
    if (threadIdx.x == 0) {
      store<order::release, scope::device>(words + b * line, step);
      fine[0] = reach(words + left * line, step, out);
    }
    if (threadIdx.x == 32) fine[1] = reach(words + right * line, step, out);
    __syncthreads();
    if (!fine[0] || !fine[1]) return;
    // a neighbour may be one step further already, but has no later note before the next 64th
    check(notes, right, step, out);
  }
}

/// Launched in clusters. words: a note a block; zeroed.
extern "C" __global__ void sync_cluster(u32* words, u32 steps, outcome* out) {
#if __CUDA_ARCH__ >= 900
  for (u32 step = 1; step <= steps; ++step) {
    put(words, step);
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
    check(words, blockIdx.x ^ 1U, step, out);
  }
#endif
}
