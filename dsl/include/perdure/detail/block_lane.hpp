// dsl/include/perdure/detail/block_lane.hpp - a wide handler's call on a host: its lanes are loops.
// Why: the compiler sees the loops and the body together, so a region is as fast as a loop written by hand.
// Invariant: indices of a region run in rising order; a lane's private value is found by lane and marker alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/abi/regions.cuh"
#include "perdure/detail/lane.hpp"

namespace perdure::detail {

struct block_lane;

/// A lane's elements, one of each lane behind the other.
template <class E>
struct lane_array {
  E* first;
  std::size_t lanes;
  E& operator[](std::size_t k) const { return first[k * lanes]; }
};

/// What a host backend offers a wide handler beyond lane_ops.
struct block_ops {
  void* (*open)(block_lane&, unsigned port, std::uint64_t message_key, bool& linked);
  void (*commit)(block_lane&, unsigned port, std::uint64_t message_key);
  std::uint64_t (*random_at)(block_lane&, std::uint32_t region, std::uint32_t index,
                             std::uint32_t draw);
};

/// The call under way. The backend derives its own from it.
struct block_lane : lane {
  const block_ops* wide = nullptr;
  const char* state = nullptr;  ///< the actor
  char* store = nullptr;        ///< its per_lane values: for each marker [element][lane]
  const std::size_t* places =
      nullptr;  ///< by marker: bytes a lane before it; no type that handlers write
  std::uint32_t first_marker = 0;  ///< offset of the first marker in the actor
  std::uint32_t lanes = 1;
  std::uint32_t lane_now = 0;
  std::uint32_t index = 0;
  std::uint32_t region = 0;  ///< regions so far in this call
  std::uint32_t draw = 0;    ///< of random(), at this index
  bool inside = false;

  std::uint64_t self_bits() const { return self; }
  std::uint64_t sender_bits() const { return sender; }

  template <int NX, int NY, int NZ, class A, class F>
  void for_each(A& me, F& f) {
    constexpr int n = abi::extent<NX, NY, NZ>;
    constexpr int wide_by = A::lanes;
    begin();
    if constexpr (NY != 0 && NX <= wide_by && wide_by % NX == 0) {
      // the first and the last plane by themselves: a body that treats them otherwise has no cases in the loops
      constexpr int planes = NZ == 0 ? 1 : NZ;
      rows<NX, NY, NZ>(me, f, 0);
      for (int z = 1; z < planes - 1; ++z) rows<NX, NY, NZ>(me, f, z);
      if constexpr (planes > 1) rows<NX, NY, NZ>(me, f, planes - 1);
    } else {
      for (int k = 0, i = 0; i < n; ++k) {
        for (int l = 0; l < wide_by && i < n; ++l, ++i) {
          enter(i, l);
          abi::call_at<NX, NY, NZ>(f, me, i, k);
        }
      }
    }
    end();
  }
  template <int NX, int NY, int NZ, class A, class F>
  void then_each(A& me, F& f) {
    for_each<NX, NY, NZ>(me, f);
  }
  void has_read() {}                         // messages are not taken before the handler has ended
  void keeps_to_groups() {}                  // lanes are loops, which meet at all regions' ends
  void gather(std::uint32_t /*firings*/) {}  // a state stays where it is
  template <class A, class F>
  void once(A& me, F& f) {
    begin();
    enter(0, 0);
    f(me);
    end();
  }
  template <class A, class F>
  void then_once(A& me, F& f) {
    once(me, f);
  }
  template <int N, class A, class T, class Value, class Join>
  T reduce(const A& me, const T& none, Value& value, Join& join) {
    constexpr int wide_by = A::lanes;
    constexpr int groups = (wide_by + 31) / 32;
    T of_lane[groups][32];
    for (auto& group : of_lane) {
      for (T& v : group) v = none;
    }
    begin();
    for (int i = 0, l = 0; i < N; ++i) {  // by rising index, as in all regions
      enter(i, l);
      T& mine = of_lane[l / 32][l % 32];
      mine = join(mine, abi::value_at(value, me, i));
      l = l + 1 == wide_by ? 0 : l + 1;
    }
    end();
    T of_group[32];
    for (int g = 0; g < 32; ++g) of_group[g] = g < groups ? tree(of_lane[g], join) : none;
    return tree(of_group, join);
  }

  template <class A, class M, class Fill>
  void send_in_place(std::uint64_t to, Fill& fill) {
    const std::uint32_t regions = region;  // which are not run where there is no buffer
    lane::send_in_place<A, M>(to, fill);
    region = regions;
  }
  template <class M, class Fill>
  void send_host_in_place(std::uint64_t to, Fill& fill) {
    const std::uint32_t regions = region;
    lane::send_host_in_place<M>(to, fill);
    region = regions;
  }
  template <class M, class Fill>
  void reply_in_place(Fill& fill) {
    const std::uint32_t regions = region;
    lane::reply_in_place<M>(fill);
    region = regions;
  }
  template <class M>
  M* open(unsigned port, bool& linked) {
    return static_cast<M*>(wide->open(*this, port, type_key<M>(), linked));
  }
  template <class M>
  void commit(unsigned port, M* /*at*/) {
    wide->commit(*this, port, type_key<M>());
  }
  std::uint64_t random() {
    return inside ? wide->random_at(*this, region, index, draw++) : lane::random();
  }

  template <class T>
  T& private_value(const void* marker) {
    return reinterpret_cast<T*>(place(marker))[lane_now];
  }
  template <class E>
  lane_array<E> private_array(const void* marker) {
    return {reinterpret_cast<E*>(place(marker)) + lane_now, lanes};
  }

 private:
  /// A plane of a region, row by row: k is one for each.
  template <int NX, int NY, int NZ, class A, class F>
  [[gnu::always_inline]] void rows(A& me, F& f, int z) {
    for (int y = 0; y < NY; ++y) {
      const int row = (z * NY + y) * NX;
      const int k = row / A::lanes;
      const int first = row % A::lanes;
      for (int x = 0; x < NX; ++x) {
        enter(row + x, first + x);
        if constexpr (NZ == 0) {
          abi::call(f, me, x, y, k);
        } else {
          abi::call(f, me, x, y, z, k);
        }
      }
    }
  }
  void begin() {
    inside = true;
    ++region;
  }
  void end() { inside = false; }
  void enter(int i, int l) {
    index = static_cast<std::uint32_t>(i);
    lane_now = static_cast<std::uint32_t>(l);
    draw = 0;
  }
  char* place(const void* marker) const {
    const auto at = static_cast<const char*>(marker) - state;
    return store + std::size_t{places[static_cast<std::size_t>(at) - first_marker]} * lanes;
  }
  template <class T, class Join>
  static T tree(T (&v)[32], Join& join) {
    for (int w = 16; w > 0; w /= 2) {
      for (int l = 0; l < w; ++l) v[l] = join(v[l], v[l + w]);
    }
    return v[0];
  }
};

}  // namespace perdure::detail
