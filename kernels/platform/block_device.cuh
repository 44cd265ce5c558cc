// kernels/platform/block_device.cuh - a worker that is a thread block: one lane a thread.
// Why: the same regions as on the CPU, with a block barrier at each end.
// Invariant: collectives are called by all lanes in use, a warp or the whole block; two sets of slots, used in turn, let one barrier do.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/link.cuh"
#include "kernels/platform/atomics.cuh"

#ifndef PERDURE_LANES
#define PERDURE_LANES 512  // threads of a block, unless the runtime says
#endif
#ifndef PERDURE_BLOCKS_EACH
#define PERDURE_BLOCKS_EACH 1  // of a processor, likewise
#endif

namespace perdure::loop {

/// In shared memory: what the collectives hand from warp to warp.
struct collective_slots {
  u64 value[2][33];
};

/// @tparam Width  threads of the block, all of which are always in use; 0: known at run time, see use().
template <u32 Width>
class device_block {
 public:
  static constexpr bool may_wait = true;  ///< for others: they run at the same time for sure
  static constexpr bool in_order = false;
#ifdef PERDURE_STATES_IN_MEMORY
  static constexpr bool whole_links =
      true;  ///< messages of links lie whole: kernels/wide/whole.cuh
#else
  static constexpr bool whole_links = false;
#endif
  static constexpr bool few_lanes =
      Width != 0 && Width <= abi::few_lanes;  ///< each has many registers
  static constexpr bool lane_a_port = true;   ///< a warp has more lanes than an actor has ports
  static constexpr bool alone_by_lane =
      true;  ///< most_alone() asks a lane for its own number in its warp alone
  static constexpr bool polls = true;        ///< while it is idle, sooner than a turn would look
  static constexpr bool host_is_far = true;  ///< across a bus
  static constexpr u32 side_by_side = 32;    ///< lanes that run the same code at the same time
  static constexpr u32 group_above =
      32;  ///< messages from which it pays to group handlers: more than a warp
  /// Defined from the start: what some way leaves undefined lives all through the loop, as the compiler sees it, and is put
  /// aside in memory where registers are short.
  template <class T>
  struct per_lane {
    T value{};
    T& operator[](u32) { return value; }
    const T& operator[](u32) const { return value; }
  };

  explicit device_block(collective_slots* slots) : slots_{slots} {}
  u32 lanes() const { return Width != 0 ? Width : lanes_; }
  u32 lane() const { return threadIdx.x; }
  long long cycles() const { return clock64(); }
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
  /// As region(), with no barrier.
  template <class F>
  void each(F f) {
    f(threadIdx.x);
  }
  /// As each() and sum(), for a CPU that goes through its lanes, where only the first `busy` ones have something to do.
  template <class F>
  void each_of(u32 /*busy*/, F f) {
    f(threadIdx.x);
  }
  template <class F>
  u32 sum_of(u32 /*busy*/, F f) {
    return sum(f);
  }
  /// How many lanes work side by side with this one, itself among them: those in use are whole warps.
  static constexpr u32 beside(u32 /*lane*/) { return side_by_side; }
  /// What lanes side by side wrote before is seen by those beside them, and by no others.
  void meet_side_by_side() const { __syncwarp(); }
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
  /// The first lanes that work side by side, all at once: f(whether it is lane 0).
  template <class F>
  void alike(F f) {
    if (agreed(warp() == 0)) f(threadIdx.x == 0);
    sync();
  }
  static constexpr bool matches = true;
  /// Lanes beside this one that have the same key and say that it is theirs.
  struct same_beside {
    u32 below;     ///< sum of the weights of those below
    bool is_last;  ///< none is above
  };
  /// @param weight  2 to 4. All lanes of a warp.
  static same_beside match(bool mine, u32 key, u32 weight) {
    const u32 mine_all = __ballot_sync(~0U, mine);
    const u32 same = __match_any_sync(~0U, key) & mine_all;
    const u32 below = same & ((1U << in_warp()) - 1);
    const u32 odd = __ballot_sync(~0U, (weight & 1U) != 0), four = __ballot_sync(~0U, weight == 4);
    return {2 * __popc(below) + __popc(below & odd) + 2 * __popc(below & four),
            (same >> in_warp()) == 1};
  }
  /// What lane 0's f gives, to all.
  template <class F>
  u32 broadcast(F f) {
    u32 mine = 0;
    if (threadIdx.x == 0) mine = f();
    if (lanes() == 32) {
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
  /// Whether f holds for any lane; what lanes wrote before is then seen by all.
  template <class F>
  bool any(F f) {
    const bool mine = f(threadIdx.x);
    return lanes() == 32 ? __any_sync(~0U, mine) != 0 : __syncthreads_or(mine) != 0;
  }
  /// Joins one value a lane: in each group of 32 lanes l and l + w for w = 16, 8, 4, 2, 1, then the groups alike; groups
  /// that there are not are `none`. @param scratch  [32] values in shared memory.
  template <class T, class Join>
  T reduce(T mine, T none, char* scratch, Join join) {
    T* of_group = reinterpret_cast<T*>(scratch);
    mine = tree(mine, join);
    if (in_warp() == 0) of_group[warp()] = mine;
    sync();
    T all = tree(in_warp() < (lanes() >> 5U) ? of_group[in_warp()] : none, join);
    return from_lane(all, [](u32 piece) { return __shfl_sync(~0U, piece, 0); });
  }
  template <class F>
  u32 least(F f) {
    return __reduce_min_sync(~0U, exchange(__reduce_min_sync(~0U, f(threadIdx.x)), ~0U));
  }
  /// All bits that f has set for any lane.
  template <class F>
  u32 all_bits(F f) {
    return __reduce_or_sync(~0U, exchange(__reduce_or_sync(~0U, f(threadIdx.x)), 0U));
  }
  template <class F>
  u64 most(F f) {
    return most_of_warp(exchange(most_of_warp(f(threadIdx.x)), u64{0}));
  }
  /// The most of f(i) for i < 32, which each warp finds out by itself: no barrier. Of 32 bits it takes half as long.
  template <class F>
  auto most_alone(F f) {
    const auto mine = f(in_warp());
    if constexpr (sizeof(mine) == 4) {
      return __reduce_max_sync(~0U, mine);
    } else {
      return most_of_warp(mine);
    }
  }
  template <class F>
  u64 least64(F f) {
    return ~most([&](u32 lane) { return ~f(lane); });
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
  /// The most of f(lane, place) over all places, which warps take 32 at a time, the next ones when they are done. With
  /// `asides` they take as many times before(the first of 32) first, and each calls idle() when none is left; all lanes of a
  /// warp call both. @param next  in shared memory: number of warps.
  template <class Before, class F, class Idle>
  u32 most_of_places(u32 places, bool asides, u32* next, Before before, F f, Idle idle) {
    const u32 aside = asides ? (places + 31) / 32 * 32 : 0;
    u32 most = 0;
#pragma unroll 1
    for (u32 of_32 = warp() * 32; agreed(of_32 < aside + places);) {
      const u32 one =
          agreed(of_32 < aside) ? before(of_32) : f(threadIdx.x, of_32 - aside + in_warp());
      most = one > most ? one : most;
      __syncwarp();
      u32 more = 0;
      if (in_warp() == 0) more = fetch_add<scope::block>(next, 1U) * 32;
      of_32 = __shfl_sync(~0U, more, 0);
    }
    if (asides) idle();
    return __reduce_max_sync(~0U, exchange(__reduce_max_sync(~0U, most), 0U));
  }
  /// For each lane below `count` the nearest one below it that has its key, ~0 if there is none; of any other lane nothing.
  /// No barrier. @param key  key(i) of lane i < count: any lane may ask.
  template <class Key>
  u32 nearest_alike(u32 lane, u32 count, Key key) {
    const u32 own = lane < count ? key(lane) : ~0U;
    const u32 first = lane - in_warp();
    const u32 alike = __match_any_sync(~0U, own) & ((1U << in_warp()) - 1);
    u32 found = alike != 0 ? first + 31 - __clz(static_cast<int>(alike)) : ~0U;
    // the others look together through the lanes of the warps below, one after another
    u32 left = first == 0 ? 0U : __ballot_sync(~0U, lane < count && alike == 0);
#pragma unroll 1
    for (; agreed(left != 0); left &= left - 1) {
      const u32 who = __ffs(static_cast<int>(left)) - 1;
      const u32 wanted = __shfl_sync(~0U, own, who);
      u32 there = 0, at = first;
#pragma unroll 1
      while (agreed(there == 0 && at != 0)) {
        at -= 32;
        there = __ballot_sync(~0U, key(at + in_warp()) == wanted);
      }
      if (in_warp() == who && there != 0) found = at + 31 - __clz(static_cast<int>(there));
    }
    return found;
  }
  /// For each lane the sum of f(i) over i < own(lane), where own(lane) < 32; no barrier. @return that over all 32.
  template <class Own, class F>
  u32 sum_below(per_lane<u32>& below, Own own, F f) {
    const u32 mine = f(in_warp());
    u32 upto = mine;
#pragma unroll
    for (u32 d = 1; d < 32; d *= 2) {
      const u32 other = __shfl_up_sync(~0U, upto, d);
      if (in_warp() >= d) upto += other;
    }
    below.value = __shfl_sync(~0U, upto - mine, own(threadIdx.x));
    return __shfl_sync(~0U, upto, 31);
  }

 private:
  void sync() const {
    if (lanes() == 32) {
      __syncwarp();
    } else {
      __syncthreads();
    }
  }
  static u32 warp() { return threadIdx.x >> 5U; }
  static u32 in_warp() { return threadIdx.x & 31U; }
  /// Each warp puts one value; after the barrier lane i of every warp has warp i's, or `none`.
  template <class T>
  T exchange(T mine, T none) {
    if (lanes() == 32) {
      sync();
      return in_warp() == 0 ? mine : none;
    }
    u64* slot = next();
    if (in_warp() == 0) slot[warp()] = mine;
    sync();
    return in_warp() < lanes() >> 5U ? static_cast<T>(slot[in_warp()]) : none;
  }
  /// A value of another lane, in 32-bit pieces.
  template <class T, class Shuffle>
  static T from_lane(const T& mine, Shuffle shuffle) {
    constexpr u32 pieces = (sizeof(T) + 3) / 4;
    u32 raw[pieces] = {};
    memcpy(raw, &mine, sizeof(T));
#pragma unroll
    for (u32 i = 0; i < pieces; ++i) raw[i] = shuffle(raw[i]);
    T out = mine;
    memcpy(&out, raw, sizeof(T));
    return out;
  }
  template <class T, class Join>
  static T tree(T mine, Join join) {
#pragma unroll
    for (u32 w = 16; w > 0; w /= 2) {
      mine =
          join(mine, from_lane(mine, [&](u32 piece) { return __shfl_down_sync(~0U, piece, w); }));
    }
    return mine;
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

using block_device = device_block<0>;

}  // namespace perdure::loop
