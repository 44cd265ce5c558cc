// kernels/platform/block_device.cuh - a worker that is a thread block: one lane a thread.
// Why: the same regions as on the CPU, with a block barrier at each end.
// Invariant: collectives are called by all lanes; two sets of slots, used in turn, let one barrier do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/platform/atomics.cuh"

namespace perdure::loop {

/// In shared memory: what the collectives hand from warp to warp.
struct collective_slots {
  u64 value[2][33];
};

class block_device {
 public:
  static constexpr bool in_order = false;
  template <class T>
  struct per_lane {
    T value;
    T& operator[](u32) { return value; }
    const T& operator[](u32) const { return value; }
  };

  explicit block_device(collective_slots* slots) : slots_{slots} {}
  u32 lanes() const { return blockDim.x; }

  template <class F>
  void region(F f) {
    f(threadIdx.x);
    __syncthreads();
  }
  template <class F>
  void once(F f) {
    if (threadIdx.x == 0) f();
    __syncthreads();
  }
  template <class F>
  u64 broadcast(F f) {
    u64* slot = next();
    if (threadIdx.x == 0) slot[0] = f();
    __syncthreads();
    return slot[0];
  }
  template <class F>
  u32 sum(F f) {
    u64* slot = next();
    const u32 mine = __reduce_add_sync(~0U, f(threadIdx.x));
    if ((threadIdx.x & 31U) == 0) slot[threadIdx.x >> 5U] = mine;
    __syncthreads();
    u32 total = 0;
    for (u32 w = 0; w < blockDim.x >> 5U; ++w) total += static_cast<u32>(slot[w]);
    return total;
  }
  template <class F>
  u32 least(F f) {
    u64* slot = next();
    const u32 mine = __reduce_min_sync(~0U, f(threadIdx.x));
    if ((threadIdx.x & 31U) == 0) slot[threadIdx.x >> 5U] = mine;
    __syncthreads();
    u32 best = ~0U;
    for (u32 w = 0; w < blockDim.x >> 5U; ++w) best = static_cast<u32>(slot[w]) < best ? static_cast<u32>(slot[w]) : best;
    return best;
  }
  template <class F>
  u64 most(F f) {
    u64* slot = next();
    u64 mine = f(threadIdx.x);
    for (u32 step = 16; step > 0; step >>= 1U) {
      const u64 other = __shfl_xor_sync(~0U, mine, step);
      mine = other > mine ? other : mine;
    }
    if ((threadIdx.x & 31U) == 0) slot[threadIdx.x >> 5U] = mine;
    __syncthreads();
    u64 best = 0;
    for (u32 w = 0; w < blockDim.x >> 5U; ++w) best = slot[w] > best ? slot[w] : best;
    return best;
  }
  template <class F>
  u64 least64(F f) {
    return ~most([&](u32 lane) { return ~f(lane); });
  }
  template <class F>
  u32 scan(per_lane<u32>& before, F f) {
    u64* slot = next();
    const u32 own = f(threadIdx.x);
    u32 upto = own;
    for (u32 step = 1; step < 32; step <<= 1U) {
      const u32 other = __shfl_up_sync(~0U, upto, step);
      if ((threadIdx.x & 31U) >= step) upto += other;
    }
    const u32 warp = threadIdx.x >> 5U;
    if ((threadIdx.x & 31U) == 31U) slot[warp] = upto;
    __syncthreads();
    u32 base = 0;
    u32 total = 0;
    for (u32 w = 0; w < blockDim.x >> 5U; ++w) {
      if (w < warp) base += static_cast<u32>(slot[w]);
      total += static_cast<u32>(slot[w]);
    }
    before.value = base + upto - own;
    return total;
  }
  /// For lanes 0..upto-1 in order: before[lane] = counts[key], counts[key] += amount, where f says so.
  template <class F>
  void ordered_add(u32* counts, per_lane<u32>& before, u32 upto, F f) {
    u32 key = ~0U;
    u32 amount = 0;
    const bool takes_part = f(threadIdx.x, key, amount);
    const u32 warp = threadIdx.x >> 5U;
    const u32 same = __match_any_sync(~0U, takes_part ? key : ~0U);
    u32 earlier = 0;
    u32 total = 0;
    for (u32 other = 0; other < 32; ++other) {
      const u32 theirs = __shfl_sync(~0U, amount, other);
      if ((same >> other & 1U) == 0) continue;
      total += theirs;
      if (other < (threadIdx.x & 31U)) earlier += theirs;
    }
    for (u32 w = 0; w * 32 < upto; ++w) {
      if (w == warp) {
        const u32 leader = __ffs(static_cast<int>(same)) - 1;
        u32 base = 0;
        if (takes_part && (threadIdx.x & 31U) == leader) {
          base = counts[key];
          counts[key] = base + total;
        }
        before.value = __shfl_sync(~0U, base, leader) + earlier;
      }
      __syncthreads();
    }
  }

 private:
  u64* next() {
    turn_ ^= 1U;
    return slots_->value[turn_];
  }
  collective_slots* slots_;
  u32 turn_ = 0;
};

}  // namespace perdure::loop
