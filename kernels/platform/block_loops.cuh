// kernels/platform/block_loops.cuh - a worker whose lanes are a loop: the CPU backend's block.
// Why: the very code of the device runs on one thread, deterministic and visible to every sanitizer.
// Invariant: a region runs lanes 0, 1, 2, ... to their end; a barrier is the end of the loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/platform/atomics.cuh"

namespace perdure::loop {

/// @tparam InOrder  true: several messages of one actor may run in one round, since lanes run in order; and messages of
///                  links lie whole (kernels/wide/whole.cuh). A system's workers are all of one kind.
/// @tparam Few      lanes hold as many words at once as those of a GPU's block that has few of them: for tests.
template <bool InOrder, bool Few = false>
class block_loops {
 public:
  static constexpr bool may_wait = false;  ///< for others: they run at the same time for sure
  static constexpr bool in_order = InOrder;
  static constexpr bool whole_links = InOrder;
  static constexpr bool few_lanes = Few;
  static constexpr bool lane_a_port = false;
  static constexpr bool alone_by_lane = false;
  static constexpr u32 max_lanes = 256;
  static constexpr bool polls = false;  ///< while it is idle, sooner than a turn would look
  static constexpr bool host_is_far = false;
  static constexpr u32 side_by_side = 4;  ///< as on a GPU, but few, so that tests see it
  static constexpr u32 group_above =
      2;  ///< messages from which handlers are grouped: few, so that tests do it
  template <class T>
  struct per_lane {
    T value[max_lanes];
    T& operator[](u32 lane) { return value[lane]; }
    const T& operator[](u32 lane) const { return value[lane]; }
  };

  explicit block_loops(u32 lanes) : lanes_{lanes} {}
  u32 lanes() const { return lanes_; }
  u32 lane() const { return 0; }          ///< who runs what stands between regions
  long long cycles() const { return 0; }  ///< of a clock that costs nothing: none

  template <class F>
  void region(F f) {
    for (u32 lane = 0; lane < lanes_; ++lane) f(lane);
  }
  /// As region(), with no barrier.
  template <class F>
  void each(F f) {
    region(f);
  }
  /// As each(), where only the first `busy` lanes have something to do.
  template <class F>
  void each_of(u32 busy, F f) {
    for (u32 lane = 0; lane < busy && lane < lanes_; ++lane) f(lane);
  }
  /// How many lanes work side by side with this one, itself among them.
  u32 beside(u32 lane) const {
    const u32 first = lane / side_by_side * side_by_side;
    return lanes_ - first < side_by_side ? lanes_ - first : side_by_side;
  }
  /// What lanes side by side wrote before is seen by those beside them.
  void meet_side_by_side() const {}
  template <class F>
  void once(F f) {
    f();
  }
  /// Lane 0 alone, with no barrier: the other lanes see what it wrote after the next one.
  template <class F>
  void lead(F f) {
    f();
  }
  static constexpr bool matches = false;  ///< of lanes side by side: those with the same key
  /// What several lanes would do alike, one does: f(true).
  template <class F>
  void alike(F f) {
    f(true);
  }
  template <class F>
  u32 broadcast(F f) {
    return f();
  }
  template <class F>
  u32 sum(F f) {
    u32 total = 0;
    for (u32 lane = 0; lane < lanes_; ++lane) total += f(lane);
    return total;
  }
  /// As sum(), where only the first `busy` lanes have something to give.
  template <class F>
  u32 sum_of(u32 busy, F f) {
    u32 total = 0;
    for (u32 lane = 0; lane < busy && lane < lanes_; ++lane) total += f(lane);
    return total;
  }
  /// All bits that f has set for any lane.
  template <class F>
  u32 all_bits(F f) {
    u32 bits = 0;
    for (u32 lane = 0; lane < lanes_; ++lane) bits |= f(lane);
    return bits;
  }
  template <class F>
  bool any(F f) {
    bool found = false;
    for (u32 lane = 0; lane < lanes_; ++lane) found |= f(lane);
    return found;
  }
  template <class F>
  u32 least(F f) {
    u32 best = ~0U;
    for (u32 lane = 0; lane < lanes_; ++lane) {
      const u32 v = f(lane);
      best = v < best ? v : best;
    }
    return best;
  }
  template <class F>
  u64 most(F f) {
    u64 best = 0;
    for (u32 lane = 0; lane < lanes_; ++lane) {
      const u64 v = f(lane);
      best = v > best ? v : best;
    }
    return best;
  }
  /// The most of f(i) for i < 32; no barrier.
  template <class F>
  auto most_alone(F f) {
    decltype(f(0U)) best = 0;
    for (u32 i = 0; i < 32; ++i) {
      const auto v = f(i);
      best = v > best ? v : best;
    }
    return best;
  }
  template <class F>
  u64 least64(F f) {
    return ~most([&](u32 lane) { return ~f(lane); });
  }
  /// Each lane gives four flags (bits 0..3). Counts the flags set before: in field k (16 bits) of before[lane], those of
  /// bit k in lower lanes. Returns the totals in the same fields.
  template <class F>
  u64 scan_flags(per_lane<u64>& before, F f) {
    u64 total = 0;
    for (u32 lane = 0; lane < lanes_; ++lane) {
      before[lane] = total;
      const u32 flags = f(lane);
      for (u32 k = 0; k < 4; ++k) total += static_cast<u64>(flags >> k & 1U) << 16U * k;
    }
    return total;
  }
  /// The most of f(lane, place) over all places, and with `asides` of before(place) for every 32nd, which comes first.
  /// @param next  for blocks whose lanes share them out.
  template <class Before, class F, class Idle>
  u32 most_of_places(u32 places, bool asides, u32* /*next*/, Before before, F f, Idle /*none is*/) {
    u32 most = 0;
    for (u32 first = 0; asides && first < places; first += 32) {
      const u32 all = before(first);
      most = all > most ? all : most;
    }
    for (u32 place = 0; place < places; ++place) {
      const u32 one = f(place % lanes_, place);
      most = one > most ? one : most;
    }
    return most;
  }
  /// For a lane below `count` the nearest one below it that has its key, ~0 if there is none. @param key  of lane i < count.
  template <class Key>
  u32 nearest_alike(u32 lane, u32 count, Key key) {
    for (u32 i = lane; lane < count && i-- > 0;) {
      if (key(i) == key(lane)) return i;
    }
    return ~0U;
  }
  /// For each lane the sum of f(i) over i < own(lane), where own(lane) < 32; no barrier. @return that over all 32.
  template <class Own, class F>
  u32 sum_below(per_lane<u32>& below, Own own, F f) {
    u32 upto[33] = {};
    for (u32 i = 0; i < 32; ++i) upto[i + 1] = upto[i] + f(i);
    for (u32 lane = 0; lane < lanes_; ++lane) below[lane] = upto[own(lane)];
    return upto[32];
  }

 private:
  u32 lanes_;
};

}  // namespace perdure::loop
