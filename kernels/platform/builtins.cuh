// kernels/platform/builtins.cuh - the few compiler built-ins that host and device spell differently.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/ref_bits.cuh"

/// One copy of the code however often it is called: the loop must stay in the instruction cache. A block goes in by
/// value, so that it stays in registers; such a function ends with a barrier or leaves the collectives' turn as it was.
#if defined(__CUDACC_RTC__)
#define PERDURE_OUT_OF_LINE __noinline__
#else
#define PERDURE_OUT_OF_LINE
#endif

namespace perdure::loop {

/// Copies bytes between objects that do not overlap; sizes known at compile time become register moves.
inline void copy_bytes(void* to, const void* from, abi::u64 bytes) {
#if defined(__CUDACC_RTC__)
  memcpy(to, from, bytes);
#else
  __builtin_memcpy(to, from, bytes);
#endif
}

/// Brings the line at `at` nearer; no effect on what is computed.
inline void prefetch(const void* at) {
#if defined(__CUDACC_RTC__)
  asm volatile("prefetch.global.L1 [%0];" ::"l"(at));
#else
  __builtin_prefetch(at);
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
