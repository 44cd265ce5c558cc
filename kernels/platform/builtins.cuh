// kernels/platform/builtins.cuh - the few compiler built-ins that host and device spell differently.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/word.cuh"

/// One copy of the code however often it is called: the loop must stay in the instruction cache. A block goes in by
/// value, so that it stays in registers; such a function ends with a barrier or leaves the collectives' turn as it was.
#if defined(__CUDACC_RTC__)
#define PERDURE_OUT_OF_LINE __noinline__
#else
#define PERDURE_OUT_OF_LINE
#endif

/// Before a loop that is not worth four copies of its body: every start compiles them.
#if defined(__CUDACC_RTC__)
#define PERDURE_ROLLED _Pragma("unroll 1")
#else
#define PERDURE_ROLLED
#endif

namespace perdure::loop {

/// What all lanes of a warp know alike, each of which calls this: nothing is told from lane to lane. In a program with hot
/// actors the compiler then knows that they do not part here, and keeps none of its few registers for where they would meet again:
/// those of such a program's loop would not do. Others are faster without.
inline bool agreed(bool holds) {
#if (defined(__CUDACC_RTC__) && PERDURE_HOT) || defined(PERDURE_WARPS_OF_THREADS)
  return __any_sync(~0U, holds) != 0;
#else
  return holds;
#endif
}

/// Lanes side by side that all do the same, each for itself: none goes on before all have come, and what one wrote before is
/// seen by the others. On a CPU such lanes are one.
inline void meet_alike() {
#if defined(__CUDACC_RTC__)
  __syncwarp();
#endif
}
/// The value of the first of them.
inline abi::u64 of_first_alike(abi::u64 value) {
#if defined(__CUDACC_RTC__)
  return __shfl_sync(~0U, value, 0);
#else
  return value;
#endif
}

/// The same value, of which the compiler knows nothing: what was worked out from it before is worked out again, and takes no
/// register meanwhile.
inline abi::u32 anew(abi::u32 value) {
#if defined(__CUDACC_RTC__)
  asm volatile("" : "+r"(value));
#endif
  return value;
}

/// The same value, which is worked out here and not where it is first used.
inline abi::u64 by_now(abi::u64 value) {
#if defined(__CUDACC_RTC__)
  asm volatile("" : "+l"(value));
#endif
  return value;
}
inline abi::u32 by_now(abi::u32 value) {
#if defined(__CUDACC_RTC__)
  asm volatile("" : "+r"(value));
#endif
  return value;
}

/// Copies bytes between objects that do not overlap; sizes known at compile time become register moves.
inline void copy_bytes(void* to, const void* from, abi::u64 bytes) {
#if defined(__CUDACC_RTC__)
  memcpy(to, from, bytes);
#else
  __builtin_memcpy(to, from, bytes);
#endif
}

#if !defined(__CUDACC_RTC__)
/// Of whatever it is a part.
inline void copy_word(void* to, const void* from) {
  __builtin_memcpy(__builtin_assume_aligned(to, 16), __builtin_assume_aligned(from, 16), 16);
}
#endif

/// Sets a 16-byte word on its way from memory to chip; it is there for the lane itself behind async_wait(). It passes by
/// the L1 cache.
inline void async_copy_16(abi::word* chip, const abi::word* memory) {
#if defined(__CUDACC_RTC__)
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(chip))),
                 "l"(__cvta_generic_to_global(memory))
               : "memory");
#else
  copy_word(chip, memory);
#endif
}
/// The way back of a word that was changed on chip.
inline void store_16(abi::word* memory, const abi::word& w) {
#if defined(__CUDACC_RTC__)
  asm volatile("st.global.v2.b64 [%0], {%1, %2};"
               :
               : "l"(__cvta_generic_to_global(memory)), "l"(w.lo), "l"(w.hi)
               : "memory");
#else
  copy_word(memory, &w);
#endif
}
/// A word that is moved and not looked at again soon: where there is no room for all, it leaves the L2 cache first.
inline abi::u64 first_to_leave() {
  abi::u64 policy = 0;
#if defined(__CUDACC_RTC__)
  asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
#endif
  return policy;
}
/// As above, for what is read once. @param policy  first_to_leave()
inline void async_copy_16(abi::word* chip, const abi::word* memory, abi::u64 policy) {
#if defined(__CUDACC_RTC__)
  asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;"
               :
               : "r"(static_cast<unsigned>(__cvta_generic_to_shared(chip))),
                 "l"(__cvta_generic_to_global(memory)), "l"(policy)
               : "memory");
#else
  (void)policy;
  copy_word(chip, memory);
#endif
}
/// The way back. @param policy  first_to_leave()
inline void store_16(abi::word* memory, const abi::word& w, abi::u64 policy) {
#if defined(__CUDACC_RTC__)
  asm volatile("st.global.L2::cache_hint.v2.b64 [%0], {%1, %2}, %3;"
               :
               : "l"(__cvta_generic_to_global(memory)), "l"(w.lo), "l"(w.hi), "l"(policy)
               : "memory");
#else
  (void)policy;
  copy_word(memory, &w);
#endif
}
inline void async_wait() {
#if defined(__CUDACC_RTC__)
  asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

/// The line stays in the L2 cache while what is not kept passes by.
inline void keep_in_cache([[maybe_unused]] const void* at) {
#if defined(__CUDACC_RTC__)
  asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(__cvta_generic_to_global(at)));
#endif
}
/// Brings the line at `at` nearer, on a host into the second cache: the first one keeps few lines under way, and who asks for
/// more waits. No effect on what is computed.
inline void prefetch(const void* at) {
#if defined(__CUDACC_RTC__)
  asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
#else
  constexpr int second_cache = 2;
  __builtin_prefetch(at, 0, second_cache);
  // or GCC takes who does nothing else for a function without effect, and drops its calls
  asm volatile("" : : "r"(at));
#endif
}

/// On a device, sets the line at `at` on its way into the first cache; nothing if it is not in memory.
inline void prefetch_near([[maybe_unused]] const void* at) {
#if defined(__CUDACC_RTC__)
  asm volatile("prefetch.L1 [%0];" ::"l"(at));
#endif
}

/// Plain accesses to what the lanes of a block share. Said by name where the compiler could not tell that it is shared
/// memory, or would join the access with one to other memory.
inline void put_here(abi::word* at, abi::word w) {
#if defined(__CUDACC_RTC__)
  asm volatile("st.shared.v2.b64 [%0], {%1, %2};"
               :
               : "l"(__cvta_generic_to_shared(at)), "l"(w.lo), "l"(w.hi)
               : "memory");
#else
  *at = w;
#endif
}
inline void put_here(abi::u64* at, abi::u64 value) {
#if defined(__CUDACC_RTC__)
  asm volatile("st.shared.b64 [%0], %1;"
               :
               : "l"(__cvta_generic_to_shared(at)), "l"(value)
               : "memory");
#else
  *at = value;
#endif
}
/// Where something lies in what the lanes of a block share, so that a register holds it.
#if defined(__CUDACC_RTC__)
using chip_address = abi::u32;
inline chip_address address_here(void* at) {
  return static_cast<chip_address>(__cvta_generic_to_shared(at));
}
#else
using chip_address = char*;
inline chip_address address_here(void* at) { return static_cast<char*>(at); }
#endif
/// As put_here(), where nothing lies that is read or written otherwise before the next barrier: what is in registers may
/// stay there.
inline void put_apart(chip_address at, abi::u64 value) {
#if defined(__CUDACC_RTC__)
  asm volatile("st.shared.b64 [%0], %1;" : : "r"(at), "l"(value));
#else
  __builtin_memcpy(at, &value, sizeof(value));
#endif
}
inline void put_apart(chip_address at, abi::u32 value) {
#if defined(__CUDACC_RTC__)
  asm volatile("st.shared.b32 [%0], %1;" : : "r"(at), "r"(value));
#else
  __builtin_memcpy(at, &value, sizeof(value));
#endif
}
inline abi::word get_here(const abi::word* at) {
#if defined(__CUDACC_RTC__)
  abi::word w;
  asm volatile("ld.shared.v2.b64 {%0, %1}, [%2];"
               : "=l"(w.lo), "=l"(w.hi)
               : "l"(__cvta_generic_to_shared(at))
               : "memory");
  return w;
#else
  abi::word w;
  copy_word(&w, at);
  return w;
#endif
}
inline abi::u64 get_here(const abi::u64* at) {
#if defined(__CUDACC_RTC__)
  abi::u64 value;
  asm volatile("ld.shared.b64 %0, [%1];"
               : "=l"(value)
               : "l"(__cvta_generic_to_shared(at))
               : "memory");
  return value;
#else
  return *at;
#endif
}

/// The steady clock now, at least `known`: for who needs it more exactly than a turn or a firing knows it. Takes a device
/// about half a microsecond; elsewhere `known` is of just now.
inline abi::u64 steady_now(abi::u64 known) {
#if defined(__CUDACC_RTC__)
  abi::u64 ns;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(ns));
  return ns > known ? ns : known;
#else
  return known;
#endif
}

inline abi::u32 set_bits(abi::u32 mask) {
#if defined(__CUDACC_RTC__)
  return static_cast<abi::u32>(__popc(static_cast<int>(mask)));
#else
  return static_cast<abi::u32>(__builtin_popcount(mask));
#endif
}

/// The upper 64 bits of a product.
inline abi::u64 multiply_high(abi::u64 a, abi::u64 b) {
#if defined(__CUDACC_RTC__)
  return __umul64hi(a, b);
#else
  __extension__ using wide = unsigned __int128;
  return static_cast<abi::u64>((static_cast<wide>(a) * b) >> 64U);
#endif
}

}  // namespace perdure::loop
