// tools/perdure/baseline_tear.cu - is a 16-byte word ever seen half old and half new?
// Why: rings and links have no fence between payload and readiness: a torn word would be a wrong
// message.
// How: writers go on writing words whose halves follow from one number; readers check that they do.
// The accesses are the loop's own. Compiled by NVRTC at run time.
// SPDX-License-Identifier: Apache-2.0
#include "kernels/platform/atomics.cuh"

using namespace perdure::loop;

struct seen {
  unsigned long long words;    // read
  unsigned long long torn;     // whose halves do not belong together
  unsigned long long changed;  // that differ from what the same thread read there before
  u32 readers_done;
  u32 spare;
};

__device__ __forceinline__ u64 other_half(u64 number, u64 place) {
  const u64 z = (number + place) * 0x9e3779b97f4a7c15ULL;
  return z ^ z >> 29;
}

/// Writes its own word until all readers are done.
template <scope S>
__device__ void write(word* words, u32 place, u32 readers, const u32* done) {
  for (u64 n = 1; n < 1ULL << 40; ++n) {
    store<order::relaxed, S>(words + place, word{n, other_half(n, place)});
    if ((n & 255) == 0 && load<order::relaxed, scope::device>(done) >= readers) return;
  }
}
/// Reads `count` words: `eyes` places in turn, so that each is seen to change.
template <scope S>
__device__ void read(const word* words, u32 from, u32 places, u64 count, seen* out) {
  constexpr u32 eyes = 4;
  u64 last[eyes] = {};
  unsigned long long torn = 0, changed = 0;
  for (u64 i = 0; i < count; i += eyes) {
#pragma unroll
    for (u32 e = 0; e < eyes; ++e) {
      const u32 place = (from + e * (places / eyes)) % places;
      const word w = load<order::relaxed, S>(words + place);
      torn += w.lo != 0 && w.hi != other_half(w.lo, place);
      torn += w.lo == 0 && w.hi != 0;
      changed += w.lo != last[e];
      last[e] = w.lo;
    }
  }
  atomicAdd(&out->words, (unsigned long long)((count + eyes - 1) / eyes * eyes));
  atomicAdd(&out->torn, torn);
  atomicAdd(&out->changed, changed);
  __syncwarp();
  __threadfence();
  atomicAdd(&out->readers_done, 1U);
}

/// Even blocks write a word a thread, odd ones read. `words`: zeroed, one for each thread of the
/// even blocks.
template <scope S>
__device__ void blocks(word* words, u64 each, seen* out) {
  const u32 writers = (gridDim.x + 1) / 2, readers = gridDim.x / 2 * blockDim.x;
  const u32 mine = blockIdx.x / 2 * blockDim.x + threadIdx.x;
  if (blockIdx.x % 2 == 0) {
    write<S>(words, mine, readers, &out->readers_done);
  } else {
    read<S>(words, mine * 37U % (writers * blockDim.x), writers * blockDim.x, each, out);
  }
}
extern "C" __global__ void tear_device(word* words, u64 each, seen* out) {
  blocks<scope::device>(words, each, out);
}
extern "C" __global__ void tear_system(word* words, u64 each, seen* out) {
  blocks<scope::system>(words, each, out);
}

/// In shared memory: the first half of a block's warps writes, the second reads. Blocks of 512.
extern "C" __global__ void __launch_bounds__(512) tear_block(word*, u64 each, seen* out) {
  __shared__ word words[256];
  __shared__ u32 done;
  if (threadIdx.x < 256) words[threadIdx.x] = word{0, 0};
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  if (threadIdx.x < 256) {
    for (u64 n = 1; n < 1ULL << 40; ++n) {
      store<order::relaxed, scope::block>(words + threadIdx.x, word{n, other_half(n, threadIdx.x)});
      if ((n & 255) == 0 && load<order::relaxed, scope::block>(&done) == 256) return;
    }
  } else {
    read<scope::block>(words, threadIdx.x - 256, 256, each, out);
    atomicAdd(&done, 1U);
  }
}
