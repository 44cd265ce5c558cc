// kernels/abi/regions.cuh - indices of regions, and what has landed at the in-ports.
// Why: host and device walk the same extents; only who walks which index differs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace perdure::abi {

inline constexpr unsigned max_ports = 16;  ///< of a wide actor

/// Linear indices of the extents; absent ones are 0.
template <int NX, int NY, int NZ>
inline constexpr int extent = NX * (NY == 0 ? 1 : NY) * (NZ == 0 ? 1 : NZ);

// A body takes its indices as `int` or as the std::size_t that std::array wants: they are never below 0.
#if !defined(__CUDACC_RTC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#endif

template <class F, class A>
void call(F& f, A& me, int x, int y, int k) {
  f(me, x, y, k);
}
template <class F, class A>
void call(F& f, A& me, int x, int y, int z, int k) {
  f(me, x, y, z, k);
}

/// Calls a region's body for linear index `i`, taken apart as its extents say.
template <int NX, int NY, int NZ, class A, class F>
void call_at(F& f, A& me, int i, int k) {
  if constexpr (NY == 0) {
    f(me, i, k);
  } else if constexpr (NZ == 0) {
    f(me, i % NX, i / NX, k);
  } else {
    f(me, i % NX, i / NX % NY, i / (NX * NY), k);
  }
}

/// Calls a region's body for the k-th index of a lane, i = lane + k * Width. Where rows and lanes fit each other, all but
/// the lane's own part of the coordinates is a constant once k is.
template <int NX, int NY, int NZ, int Width, class A, class F>
void call_nth(F& f, A& me, unsigned lane, int k) {
  if constexpr (NY != 0 && Width % NX == 0) {
    constexpr int rows = Width / NX;  // that lanes take side by side
    const int x = static_cast<int>(lane % NX);
    const int own = static_cast<int>(lane / NX);
    if constexpr (NY % rows == 0) {
      constexpr int turns = NY / rows;  // a plane
      const int y = own + k % turns * rows;
      if constexpr (NZ == 0) {
        f(me, x, y, k);
      } else {
        f(me, x, y, k / turns, k);
      }
      return;
    } else if constexpr (NZ != 0 && rows % NY == 0) {
      f(me, x, own % NY, own / NY + k * (rows / NY), k);
      return;
    }
  }
  call_at<NX, NY, NZ>(f, me, static_cast<int>(lane) + k * Width, k);
}

/// The value that reduce() takes at index `i`.
template <class A, class Value>
auto value_at(Value& value, const A& me, int i) {
  return value(me, i);
}

#if !defined(__CUDACC_RTC__)
#pragma GCC diagnostic pop
#endif

/// One message from each linked in-port, as joined<> reads them: `base` and for each port an offset from it.
struct landed_messages {
#if defined(__CUDACC_RTC__) && defined(PERDURE_STATES_IN_MEMORY)
  const void* const* whole;  ///< [max_ports]: where they lie in their links, or null
  bool linked(unsigned port) const { return whole[port] != nullptr; }
  const void* at(unsigned port) const {
    const void* p = whole[port];
    __builtin_assume(__isGlobal(p));  // a handler that is not inlined does not see it
    return p;
  }
#else
  static constexpr unsigned none = ~0U;
  const char* base;
  const unsigned* offsets;  ///< [max_ports], `none` where nothing is linked
#if defined(__CUDACC_RTC__)
  bool linked(unsigned port) const { return offsets[port] != none; }
  const void* at(unsigned port) const {
    const char* p = base + offsets[port];
    __builtin_assume(__isShared(p));  // a handler that is not inlined does not see it
    return p;
  }
#else
  const void* const* whole =
      nullptr;  ///< in place of both, [max_ports]: where they lie in their links, or null

  bool linked(unsigned port) const {
    return whole != nullptr ? whole[port] != nullptr : offsets[port] != none;
  }
  const void* at(unsigned port) const {
    return whole != nullptr ? whole[port] : base + offsets[port];
  }
#endif
#endif
};

}  // namespace perdure::abi
