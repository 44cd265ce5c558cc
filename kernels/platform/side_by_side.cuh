// kernels/platform/side_by_side.cuh - 32 lanes that do one thing together: a GPU's warp, elsewhere a loop.
// Why: what handles a run of messages is one text; what differs is where a lane's value lies and how the others get at it. The
//      user's part of it has more to ask for, and on a host its own loops (perdure/detail/run_lanes.hpp).
// Invariant: on a GPU all lanes of a warp call each function here together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/platform/builtins.cuh"

namespace perdure::loop {

#if defined(__CUDACC_RTC__) || defined(PERDURE_WARPS_OF_THREADS)

/// A value of each lane's own.
template <class T>
struct value_beside {
  T value{};

  T& own(abi::u32) { return value; }
  const T& own(abi::u32) const { return value; }
  void put(abi::u32 i, const T& of_i) {
    if ((threadIdx.x & 31U) == i) value = of_i;
  }
  /// Lane i's.
  T of(abi::u32 i) const {
    return by_pieces([&](abi::u32 piece) { return __shfl_sync(~0U, piece, static_cast<int>(i)); });
  }
  /// That of the lane `far` below; of a lane that has none its own.
  T of_below(abi::u32 far) const {
    return by_pieces([&](abi::u32 piece) { return __shfl_up_sync(~0U, piece, far); });
  }
  /// That of the lane whose number differs in these bits.
  T of_across(abi::u32 bits) const {
    return by_pieces([&](abi::u32 piece) { return __shfl_xor_sync(~0U, piece, bits); });
  }

 private:
  /// In pieces of 32 bits.
  template <class F>
  T by_pieces(F f) const {
    constexpr abi::u32 pieces = (sizeof(T) + 3) / 4;
    abi::u32 raw[pieces] = {};
    copy_bytes(raw, &value, sizeof(T));
    for (abi::u32& piece : raw) piece = f(piece);
    T out = value;
    copy_bytes(&out, raw, sizeof(T));
    return out;
  }
};

struct lanes_beside {
  static constexpr bool have_own = true;  ///< each has what is handed out in its own hand
  static abi::u32 own() { return threadIdx.x & 31U; }
  static bool leads() { return own() == 0; }
  /// Whether lane i's values are in the hand of who asks.
  static bool has(abi::u32 i) { return own() == i; }
  static abi::u32 first() { return threadIdx.x & ~31U; }  ///< of the block's lanes
  template <class F>
  static void each(F f) {
    f(own());
  }
  /// Bit i: whether f(i) holds.
  template <class F>
  static abi::u32 which(F f) {
    return __ballot_sync(~0U, f(own()));
  }
  /// Lane i alone, then all go on.
  template <class F>
  static void alone(abi::u32 i, F f) {
    if (own() == i) f();
    __syncwarp();
  }
  /// Lane i gets from(i)'s value.
  template <class T, class F>
  static void gather(value_beside<T>& out, const value_beside<T>& in, F from) {
    out.value = in.of(from(own()));
  }
  /// Each lane gets the sum of the values of those below it.
  /// @source  W. D. Hillis, G. L. Steele: Data parallel algorithms, CACM 29, 1986.
  template <class T>
  static void sum_below(value_beside<T>& out, const value_beside<T>& in) {
    value_beside<T> sum = in;
#pragma unroll
    for (abi::u32 far = 1; far < 32; far *= 2) {
      const T below = sum.of_below(far);
      if (own() >= far) sum.value += below;
    }
    out.value = sum.value - in.value;
  }
  /// The sum of f(i) over all: of integers.
  template <class T, class F>
  static T sum(F f) {
    if constexpr (sizeof(T) <= 4) {
      return static_cast<T>(__reduce_add_sync(~0U, static_cast<abi::u32>(f(own()))));
    } else {
      value_beside<abi::u64> all{static_cast<abi::u64>(f(own()))};
#pragma unroll
      for (abi::u32 far = 16; far != 0; far /= 2) all.value += all.of_across(far);
      return static_cast<T>(all.value);
    }
  }
  /// What lanes wrote before is seen by all of them.
  static void meet() { __syncwarp(); }
};

#else

template <class T>
struct value_beside {
  T value[32] = {};

  T& own(abi::u32 i) { return value[i]; }
  const T& own(abi::u32 i) const { return value[i]; }
  T of(abi::u32 i) const { return value[i]; }
};

struct lanes_beside {
  static bool leads() { return true; }
  static bool has(abi::u32 /*i*/) { return true; }
  static abi::u32 first() { return 0; }
  template <class F>
  static void each(F f) {
    for (abi::u32 i = 0; i < 32; ++i) f(i);
  }
  template <class F>
  static abi::u32 which(F f) {
    abi::u32 bits = 0;
    for (abi::u32 i = 0; i < 32; ++i) bits |= f(i) ? 1U << i : 0U;
    return bits;
  }
  template <class F>
  static void alone(abi::u32 /*i*/, F f) {
    f();
  }
  static void meet() {}
};

#endif

}  // namespace perdure::loop
