// kernels/platform/block_threads.hpp - a worker whose lanes are real threads: for tests under TSan.
// Why: loops cannot show a race between lanes; here lanes run as freely as on a GPU.
// Invariant: every lane calls the same regions and collectives in the same order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <barrier>
#include <cstring>
#include <deque>
#include <vector>

#include "kernels/platform/atomics.cuh"

namespace perdure::loop {

/// What the lanes of one block share.
class lane_team {
 public:
  explicit lane_team(u32 lanes)
      : barrier_{static_cast<std::ptrdiff_t>(lanes)},
        slots_{std::vector<u64>(lanes), std::vector<u64>(lanes)},
        values_(std::size_t{lanes} * value_bytes) {
    for (u32 first = 0; first < lanes; first += group)
      groups_.emplace_back(static_cast<std::ptrdiff_t>(std::min(group, lanes - first)));
  }
  static constexpr u32 group = 32;  ///< lanes that can meet by themselves, as a warp does
  static constexpr std::size_t value_bytes = 64;
  char* value(u32 lane) { return values_.data() + lane * value_bytes; }
  void wait() { barrier_.arrive_and_wait(); }
  void wait_beside(u32 lane) { groups_[lane / group].arrive_and_wait(); }
  std::vector<u64>& slots(u32 turn) { return slots_[turn & 1U]; }
  u32 lanes() const { return static_cast<u32>(slots_[0].size()); }

 private:
  std::barrier<> barrier_;
  std::deque<std::barrier<>> groups_;
  std::vector<u64> slots_[2];
  std::vector<char> values_;
};

/// One lane's view of its block; each thread has its own.
class block_threads {
 public:
  static constexpr bool may_wait = false;  ///< for others: they run at the same time for sure
  static constexpr bool in_order = false;
  static constexpr bool whole_links = false;
  static constexpr bool few_lanes = false;
  static constexpr bool lane_a_port = false;
  static constexpr bool alone_by_lane = false;
  static constexpr bool polls = false;  ///< while it is idle, sooner than a turn would look
  static constexpr bool host_is_far = false;
  static constexpr u32 side_by_side = 2;
  static constexpr u32 group_above = 2;
  template <class T>
  struct per_lane {
    T value{};
    T& operator[](u32) { return value; }
    const T& operator[](u32) const { return value; }
  };

  block_threads(lane_team& team, u32 lane) : team_{&team}, lane_{lane} {}
  u32 lanes() const { return team_->lanes(); }
  u32 lane() const { return lane_; }
  long long cycles() const { return 0; }

  template <class F>
  void region(F f) {
    f(lane_);
    team_->wait();
  }
  template <class F>
  void each(F f) {
    f(lane_);
  }
  template <class F>
  void each_of(u32 /*busy*/, F f) {
    f(lane_);
  }
  template <class F>
  u32 sum_of(u32 /*busy*/, F f) {
    return sum(f);
  }
  u32 beside(u32 lane) const {
    const u32 first = lane / side_by_side * side_by_side;
    return lanes() - first < side_by_side ? lanes() - first : side_by_side;
  }
  void meet_side_by_side() const { team_->wait_beside(lane_); }
  template <class F>
  void once(F f) {
    if (lane_ == 0) f();
    team_->wait();
  }
  template <class F>
  void lead(F f) {
    if (lane_ == 0) f();
  }
  static constexpr bool matches = false;  ///< of lanes side by side: those with the same key
  /// What several lanes would do alike, one does: f(true).
  template <class F>
  void alike(F f) {
    if (lane_ == 0) f(true);
    team_->wait();
  }
  template <class F>
  u32 broadcast(F f) {
    std::vector<u64>& slots = next();
    if (lane_ == 0) slots[0] = f();
    team_->wait();
    return static_cast<u32>(slots[0]);
  }
  template <class F>
  u32 sum(F f) {
    u64 total = 0;
    for (u64 v : gather(f)) total += v;
    return static_cast<u32>(total);
  }
  template <class F>
  u32 all_bits(F f) {
    u64 bits = 0;
    for (u64 v : gather(f)) bits |= v;
    return static_cast<u32>(bits);
  }
  template <class F>
  bool any(F f) {
    return sum([&](u32 lane) -> u32 { return f(lane) ? 1 : 0; }) != 0;
  }
  template <class T, class Join>
  T reduce(T mine, T none, char* /*scratch*/, Join join) {
    std::memcpy(team_->value(lane_), &mine, sizeof(T));
    team_->wait();
    T of_group[32];
    for (u32 g = 0; g < 32; ++g) {
      T of_lane[32];
      for (u32 l = 0; l < 32; ++l) {
        of_lane[l] = none;
        if (g * 32 + l < lanes()) std::memcpy(&of_lane[l], team_->value(g * 32 + l), sizeof(T));
      }
      of_group[g] = tree(of_lane, join);
    }
    team_->wait();
    return tree(of_group, join);
  }
  template <class F>
  u32 least(F f) {
    u64 best = ~u64{0};
    for (u64 v : gather(f)) best = v < best ? v : best;
    return static_cast<u32>(best);
  }
  template <class F>
  u64 most(F f) {
    u64 best = 0;
    for (u64 v : gather(f)) best = v > best ? v : best;
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
  template <class F>
  u64 scan_flags(per_lane<u64>& before, F f) {
    const std::vector<u64>& all = gather(f);
    u64 total = 0;
    for (u32 i = 0; i < all.size(); ++i) {
      if (i == lane_) before.value = total;
      for (u32 k = 0; k < 4; ++k) total += (all[i] >> k & 1U) << 16U * k;
    }
    return total;
  }
  template <class Before, class F, class Idle>
  u32 most_of_places(u32 places, bool asides, u32* /*next*/, Before before, F f, Idle /*none is*/) {
    u32 most = 0;
    for (u32 first = 0; asides && lane_ == 0 && first < places; first += 32)
      most = std::max(most, before(first));
    team_->wait();
    for (u32 place = lane_; place < places; place += lanes()) {
      const u32 one = f(lane_, place);
      most = one > most ? one : most;
    }
    return static_cast<u32>(this->most([&](u32) { return u64{most}; }));
  }
  /// For a lane below `count` the nearest one below it that has its key, ~0 if there is none. @param key  of lane i < count.
  template <class Key>
  u32 nearest_alike(u32 lane, u32 count, Key key) {
    for (u32 i = lane; lane < count && i-- > 0;) {
      if (key(i) == key(lane)) return i;
    }
    return ~0U;
  }
  template <class Own, class F>
  u32 sum_below(per_lane<u32>& below, Own own, F f) {
    u32 total = 0;
    const u32 mine = own(lane_);
    for (u32 i = 0; i < 32; ++i) {
      if (i == mine) below.value = total;
      total += f(i);
    }
    return total;
  }

 private:
  template <class T, class Join>
  static T tree(T (&v)[32], Join join) {
    for (u32 w = 16; w > 0; w /= 2) {
      for (u32 l = 0; l < w; ++l) v[l] = join(v[l], v[l + w]);
    }
    return v[0];
  }
  std::vector<u64>& next() { return team_->slots(++turn_); }
  template <class F>
  const std::vector<u64>& gather(F f) {
    std::vector<u64>& slots = next();
    slots[lane_] = f(lane_);
    team_->wait();
    return slots;
  }
  lane_team* team_;
  u32 lane_;
  u32 turn_ = 0;
};

/// Lanes that poll side by side, as threads of a team: what lanes_of_warp is on a device (dispatch/beside.cuh).
struct lanes_of_threads {
  block_threads& block;
  bool leads;  ///< it is lane 0

  explicit lanes_of_threads(block_threads& b) : block{b}, leads{b.lane() == 0} {}
  bool any(bool holds) const {
    return block.any([&](u32) { return holds; });
  }
  u32 of_first(u32 value) const {
    return block.broadcast([&] { return value; });
  }
};

}  // namespace perdure::loop
