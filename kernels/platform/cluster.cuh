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
/// The address of what is, in the block of rank `rank`, at the place that `at` is in the own block.
inline u64 near_address(const void* at, u32 rank) {
  u64 there = 0;
  asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(at), "r"(rank));
  return there;
}
inline void meet_cluster() {
  asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::
                   : "memory");
}

#else  // no clusters: no link has this tier there

inline word load_near(const word*) { return word{0, 0}; }
inline u64 near_address(const void*, u32) { return 0; }
inline void meet_cluster() {}

#endif

#if defined(__CUDACC_RTC__)

/// Reads a word of a link, wherever it is, that its sender may be writing. If not `wanted`, nothing is read, and zeros are
/// returned: what some way leaves undefined lives all through a loop, as the compiler sees it.
/// Without a branch, and so is store_link_word() under a condition: their callers have many of them under way.
/// @param at  an address of memory or of the own shared memory.
/// @memory  relaxed, device: partner store_link_word(). A word says itself that it is there; that its slot may be written again
///          says taken_of().
inline word load_link_word(u64 at, bool wanted) {
  word seen;
  asm volatile(
      "{ .reg .b128 w; .reg .pred p; setp.ne.u32 p, %3, 0; mov.b128 w, {%4, %4}; "
      "@p ld.relaxed.gpu.b128 w, [%2]; mov.b128 {%0, %1}, w; }"
      : "=l"(seen.lo), "=l"(seen.hi)
      : "l"(at), "r"(static_cast<u32>(wanted)), "l"(u64{0}));
  return seen;
}
/// Writes one. @param at  an address of memory or near_address(). @memory  relaxed, device: partner load_link_word().
inline void store_link_word(u64 at, word w) {
  asm volatile("{ .reg .b128 w; mov.b128 w, {%0, %1}; st.relaxed.gpu.b128 [%2], w; }"
               :
               : "l"(w.lo), "l"(w.hi), "l"(at));
}

#else

inline word load_link_word(u64 at, bool wanted) {
  return wanted ? load<order::relaxed, scope::device>(reinterpret_cast<const word*>(at)) : word{};
}
inline void store_link_word(u64 at, word w) {
  store<order::relaxed, scope::device>(reinterpret_cast<word*>(at), w);
}

#endif

}  // namespace perdure::loop
