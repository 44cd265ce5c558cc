// kernels/wide/private_values.cuh - a wide actor's per_lane values while it runs: registers, once all is inlined.
// Why: what only its own lane touches needs neither shared memory nor a barrier.
// Invariant: between load() and save() the values in the slot are stale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/actor_slot.cuh"

namespace perdure::loop {

/// @tparam Bytes  a lane, at most; 0: the backend keeps them in memory. In a slot they lie as [32-bit piece][lane].
template <abi::u32 Bytes>
struct private_values {
  static constexpr abi::u32 pieces = Bytes / 4;
  alignas(16) char at[Bytes == 0 ? 4 : Bytes];

  void load(const abi::type_row& row, const char* slot, abi::u32 lane) {
    if constexpr (Bytes != 0) {
      const auto* from = reinterpret_cast<const abi::u32*>(slot + row.private_at);
      auto* to = reinterpret_cast<abi::u32*>(at);
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
      for (abi::u32 i = 0; i < pieces; ++i) {
        to[i] = 4 * i < row.private_bytes && lane < row.lanes ? from[i * row.lanes + lane] : 0;
      }
    }
  }
  void save(const abi::type_row& row, char* slot, abi::u32 lane) const {
    if constexpr (Bytes != 0) {
      auto* to = reinterpret_cast<abi::u32*>(slot + row.private_at);
      const auto* from = reinterpret_cast<const abi::u32*>(at);
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
      for (abi::u32 i = 0; i < pieces; ++i) {
        if (4 * i < row.private_bytes && lane < row.lanes) to[i * row.lanes + lane] = from[i];
      }
    }
  }
};

}  // namespace perdure::loop
