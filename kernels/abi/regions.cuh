// kernels/abi/regions.cuh - indices of regions, and what has landed at the in-ports.
// Why: host and device walk the same extents; only who walks which index differs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace perdure::abi {

/// Linear indices of the extents; absent ones are 0.
template <int NX, int NY, int NZ>
inline constexpr int extent = NX * (NY == 0 ? 1 : NY) * (NZ == 0 ? 1 : NZ);

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

/// One message from each linked in-port, as joined<> reads them: `base` and for each port an offset from it.
struct landed_messages {
  static constexpr unsigned none = ~0U;
  const char* base;
  const unsigned* offsets;  ///< [ports], `none` where nothing is linked

  bool linked(unsigned port) const { return offsets[port] != none; }
  const void* at(unsigned port) const { return base + offsets[port]; }
};

}  // namespace perdure::abi
