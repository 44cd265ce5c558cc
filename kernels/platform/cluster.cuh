// kernels/platform/cluster.cuh - words in the shared memory of another thread block of the same cluster.
// Why: within a block cluster a message need not go through L2.
// Invariant: nobody writes before all of the cluster have come, and nobody leaves before all are done (meet_cluster).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/platform/atomics.cuh"

namespace perdure::loop {

#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 900

/// Reads a word of the own block's shared memory that a neighbour may be writing. Relaxed: a word says itself that it is
/// there.
inline word load_near(const word* at) {
  word out;
  asm volatile(
      "{ .reg .b128 w; ld.relaxed.cluster.shared::cta.b128 w, [%2]; mov.b128 {%0, %1}, w; }"
      : "=l"(out.lo), "=l"(out.hi)
      : "l"(__cvta_generic_to_shared(at)));
  return out;
}
/// Writes a word into the block of rank `rank`, to the place that `at` is in the own block.
inline void store_near(word* at, u32 rank, word w) {
  asm volatile(
      "{ .reg .b128 w; .reg .b32 there; mapa.shared::cluster.u32 there, %0, %1; mov.b128 w, {%2, %3}; "
      "st.relaxed.cluster.shared::cluster.b128 [there], w; }"
      :
      : "r"(static_cast<u32>(__cvta_generic_to_shared(at))), "r"(rank), "l"(w.lo), "l"(w.hi));
}
inline void meet_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

#else  // no clusters: no link has this tier there

inline word load_near(const word*) { return word{0, 0}; }
inline void store_near(word*, u32, word) {}
inline void meet_cluster() {}

#endif

}  // namespace perdure::loop
