// kernels/wide/private_values.cuh - a wide actor's per_lane values while it runs: registers, once all is inlined.
// Why: what only its own lane touches needs neither shared memory nor a barrier.
// Invariant: between load() and save() the values in the slot are stale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/actor_slot.cuh"

namespace perdure::loop {

/// @tparam Bytes  a lane, at most; 0: the backend keeps them in memory. In a slot they lie as [32-bit piece][lane].
/// @tparam Alike  all wide types have so many, and as many lanes: then nothing is asked, and all pieces are under way at once.
template <abi::u32 Bytes, bool Alike>
struct private_values {
  static constexpr abi::u32 pieces = Bytes / 4;
  alignas(16) char at[Bytes == 0 ? 4 : Bytes];

  void load(const abi::type_row& row, const char* slot, abi::u32 lane) {
    const auto* from = reinterpret_cast<const abi::u32*>(slot + row.private_at);
    auto* to = reinterpret_cast<abi::u32*>(at);
    const abi::u32 lanes = row.lanes;
    each([&](abi::u32 i) { to[i] = has(row, i, lane) ? from[i * lanes + lane] : 0; });
  }
  void save(const abi::type_row& row, char* slot, abi::u32 lane) const {
    auto* to = reinterpret_cast<abi::u32*>(slot + row.private_at);
    const auto* from = reinterpret_cast<const abi::u32*>(at);
    const abi::u32 lanes = row.lanes;
    each([&](abi::u32 i) {
      if (has(row, i, lane)) to[i * lanes + lane] = from[i];
    });
  }

 private:
  static bool has(const abi::type_row& row, abi::u32 i, abi::u32 lane) {
    return Alike || (4 * i < row.private_bytes && lane < row.lanes);
  }
  template <class F>
  static void each(F f) {
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (abi::u32 i = 0; i < pieces; ++i) f(i);
  }
};
/// Of a program's.
template <class Handle>
using private_values_of = private_values<Handle::private_bytes, Handle::wide_alike>;

}  // namespace perdure::loop
