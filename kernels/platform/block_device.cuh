// kernels/platform/block_device.cuh - a worker that is a thread block: one lane a thread.
// Why: the same regions as on the CPU, with a block barrier at each end.
// Invariant: collectives are called by all lanes in use, a warp or the whole block; two sets of slots, used in turn, let one barrier do.
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
  static constexpr u32 group_above = 32;  ///< messages from which it pays to group handlers: more than a warp
  template <class T>
  struct per_lane {
    T value;
    T& operator[](u32) { return value; }
    const T& operator[](u32) const { return value; }
  };

  explicit block_device(collective_slots* slots) : slots_{slots} {}
  u32 lanes() const { return lanes_; }
  /// From now on the first `lanes` threads are the block: all of them, or the first warp. Called by just those, behind a
  /// barrier of them: their turns at the slots begin anew.
  void use(u32 lanes) {
    lanes_ = lanes;
    turn_ = 0;
  }

  template <class F>
  void region(F f) {
    f(threadIdx.x);
    sync();
  }
  template <class F>
  void once(F f) {
    if (threadIdx.x == 0) f();
    sync();
  }
  /// Lane 0 alone, with no barrier: the other lanes see what it wrote after the next one.
  template <class F>
  void lead(F f) {
    if (threadIdx.x == 0) f();
  }
  /// What lane 0's f gives, to all.
  template <class F>
  u32 broadcast(F f) {
    u32 mine = 0;
    if (threadIdx.x == 0) mine = f();
    if (lanes_ == 32) {
      sync();
      return __shfl_sync(~0U, mine, 0);
    }
    u64* slot = next();
    if (threadIdx.x == 0) slot[0] = mine;
    sync();
    return static_cast<u32>(slot[0]);
  }
  template <class F>
  u32 sum(F f) {
    return __reduce_add_sync(~0U, exchange(__reduce_add_sync(~0U, f(threadIdx.x)), 0U));
  }
  template <class F>
  u32 least(F f) {
    return __reduce_min_sync(~0U, exchange(__reduce_min_sync(~0U, f(threadIdx.x)), ~0U));
  }
  template <class F>
  u64 most(F f) {
    return most_of_warp(exchange(most_of_warp(f(threadIdx.x)), u64{0}));
  }
  template <class F>
  u64 least64(F f) {
    return ~most([&](u32 lane) { return ~f(lane); });
  }
  /// Gives each lane the sum of the lanes before it; returns the sum of all.
  template <class F>
  u32 scan(per_lane<u32>& before, F f) {
    const u32 own = f(threadIdx.x);
    u32 upto = own;
    for (u32 step = 1; step < 32; step <<= 1U) {
      const u32 other = __shfl_up_sync(~0U, upto, step);
      if (in_warp() >= step) upto += other;
    }
    const u32 theirs = exchange(__shfl_sync(~0U, upto, 31), 0U);
    before.value = __reduce_add_sync(~0U, in_warp() < warp() ? theirs : 0U) + upto - own;
    return __reduce_add_sync(~0U, theirs);
  }
  /// Each lane gives four flags (bits 0..3). Counts the flags set before: in field k (16 bits) of before[lane], those of
  /// bit k in lower lanes. Returns the totals in the same fields.
  template <class F>
  u64 scan_flags(per_lane<u64>& before, F f) {
    const u32 flags = f(threadIdx.x);
    u64 lower = 0;
    u64 all = 0;
    for (u32 k = 0; k < 4; ++k) {
      const u32 set = __ballot_sync(~0U, flags >> k & 1U);
      lower |= static_cast<u64>(__popc(set & ((1U << in_warp()) - 1))) << 16U * k;
      all |= static_cast<u64>(__popc(set)) << 16U * k;
    }
    const u64 theirs = exchange(all, u64{0});
    before.value = lower + sum_of_warp(in_warp() < warp() ? theirs : 0);
    return sum_of_warp(theirs);
  }
  /// For lanes 0..upto-1 in order: before[lane] = counts[key], counts[key] += amount, where f says so.
  template <class F>
  void ordered_add(u32* counts, per_lane<u32>& before, u32 upto, F f) {
    const u32 warps = (upto + 31) / 32;
    u32 key = 0;
    u32 amount = 0;
    u32 same = 0;
    u32 earlier = 0;
    u32 total = 0;
    bool takes_part = false;
    if (warp() < warps) {
      takes_part = f(threadIdx.x, key, amount);
      same = __match_any_sync(~0U, takes_part ? key : ~0U);
      const u32 there =
          upto - 32 * warp() < 32 ? upto - 32 * warp() : 32;  // the others take no part
#pragma unroll 1
      for (u32 other = 0; other < there; ++other) {
        const u32 theirs = __shfl_sync(~0U, amount, other);
        if ((same >> other & 1U) == 0) continue;
        total += theirs;
        if (other < in_warp()) earlier += theirs;
      }
    }
    for (u32 turn = 0; turn < warps; ++turn) {
      if (turn == warp()) {
        const u32 leader = __ffs(static_cast<int>(same)) - 1;
        u32 base = 0;
        if (takes_part && in_warp() == leader) {
          base = counts[key];
          counts[key] = base + total;
        }
        before.value = __shfl_sync(~0U, base, leader) + earlier;
      }
      sync();
    }
  }

 private:
  /// Barrier 1 of the lanes in use; barrier 0 is where the other warps wait.
  void sync() const { asm volatile("barrier.cta.sync 1, %0;" : : "r"(lanes_) : "memory"); }
  static u32 warp() { return threadIdx.x >> 5U; }
  static u32 in_warp() { return threadIdx.x & 31U; }
  /// Each warp puts one value; after the barrier lane i of every warp has warp i's, or `none`.
  template <class T>
  T exchange(T mine, T none) {
    if (lanes_ == 32) {
      sync();
      return in_warp() == 0 ? mine : none;
    }
    u64* slot = next();
    if (in_warp() == 0) slot[warp()] = mine;
    sync();
    return in_warp() < lanes_ >> 5U ? static_cast<T>(slot[in_warp()]) : none;
  }
  static u64 most_of_warp(u64 v) {
    const u32 high = __reduce_max_sync(~0U, static_cast<u32>(v >> 32U));
    const u32 low =
        __reduce_max_sync(~0U, static_cast<u32>(v >> 32U) == high ? static_cast<u32>(v) : 0U);
    return static_cast<u64>(high) << 32U | low;
  }
  /// Of 16-bit fields whose sums fit: no carry crosses the middle.
  static u64 sum_of_warp(u64 v) {
    return static_cast<u64>(__reduce_add_sync(~0U, static_cast<u32>(v >> 32U))) << 32U |
           __reduce_add_sync(~0U, static_cast<u32>(v));
  }
  u64* next() {
    turn_ ^= 1U;
    return slots_->value[turn_];
  }
  collective_slots* slots_;
  u32 lanes_ = blockDim.x;
  u32 turn_ = 0;
};

}  // namespace perdure::loop
