// kernels/platform/atomics.cuh - atomics named by order and scope, one spelling for host and device.
// Why: the CPU backend must use exactly the order the device uses, so that its tests mean something.
// Invariant: a 16-byte word is one access on the device (.b128) and, so that nothing is stronger than there, under
//            TSan; elsewhere on the host it is two 8-byte halves, the tagged one last (docs/adr/003). Never asm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/word.cuh"

namespace perdure::loop {

using abi::u16;
using abi::u32;
using abi::u64;
using abi::u8;
using abi::word;

enum class order { relaxed, acquire, release };
/// Who takes part: the worker's own lanes, all workers of the device, or the host as well.
enum class scope { block, device, system };

#if defined(__CUDACC_RTC__)

#define PERDURE_ORDERED(CALL, ORDER)         \
  if constexpr (S == scope::block) {         \
    CALL(ORDER, __NV_THREAD_SCOPE_BLOCK)     \
  } else if constexpr (S == scope::device) { \
    CALL(ORDER, __NV_THREAD_SCOPE_DEVICE)    \
  } else {                                   \
    CALL(ORDER, __NV_THREAD_SCOPE_SYSTEM)    \
  }

template <order O, scope S, class T>
T load(const T* at) {
  T out;
#define PERDURE_LOAD(ORDER, SCOPE) __nv_atomic_load(const_cast<T*>(at), &out, ORDER, SCOPE);
  if constexpr (O == order::acquire) {
    PERDURE_ORDERED(PERDURE_LOAD, __NV_ATOMIC_ACQUIRE)
  } else {
    PERDURE_ORDERED(PERDURE_LOAD, __NV_ATOMIC_RELAXED)
  }
#undef PERDURE_LOAD
  return out;
}

template <order O, scope S, class T>
void store(T* at, T value) {
#define PERDURE_STORE(ORDER, SCOPE) __nv_atomic_store(at, &value, ORDER, SCOPE);
  if constexpr (O == order::release) {
    PERDURE_ORDERED(PERDURE_STORE, __NV_ATOMIC_RELEASE)
  } else {
    PERDURE_ORDERED(PERDURE_STORE, __NV_ATOMIC_RELAXED)
  }
#undef PERDURE_STORE
}

/// Relaxed read-modify-writes; each returns the value before.
template <scope S, class T>
T fetch_add(T* at, T value) {
#define PERDURE_RMW(ORDER, SCOPE) return __nv_atomic_fetch_add(at, value, ORDER, SCOPE);
  PERDURE_ORDERED(PERDURE_RMW, __NV_ATOMIC_RELAXED)
#undef PERDURE_RMW
}
/// fetch_add in the block's own memory by many lanes at once: those of a warp that add the same amount share one.
inline u32 grouped_add(u32* at, u32 value) {
  const u32 group = __match_any_sync(__activemask(), value);
  const u32 leader = __ffs(static_cast<int>(group)) - 1;
  const u32 lane = threadIdx.x & 31U;
  u32 base = 0;
  if (lane == leader) base = fetch_add<scope::block>(at, value * __popc(group));
  return __shfl_sync(group, base, leader) + value * __popc(group & ((1U << lane) - 1));
}
template <scope S, class T>
T fetch_min(T* at, T value) {
#define PERDURE_RMW(ORDER, SCOPE) return __nv_atomic_fetch_min(at, value, ORDER, SCOPE);
  PERDURE_ORDERED(PERDURE_RMW, __NV_ATOMIC_RELAXED)
#undef PERDURE_RMW
}
template <scope S, class T>
T fetch_max(T* at, T value) {
#define PERDURE_RMW(ORDER, SCOPE) return __nv_atomic_fetch_max(at, value, ORDER, SCOPE);
  PERDURE_ORDERED(PERDURE_RMW, __NV_ATOMIC_RELAXED)
#undef PERDURE_RMW
}
/// Compare-and-swap, acquire and release at device scope: the pool's free list.
inline bool swap_if(u64* at, u64& expected, u64 desired) {
  return __nv_atomic_compare_exchange_n(at, &expected, desired, false, __NV_ATOMIC_ACQ_REL,
                                        __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
}
template <scope S>
void fence_acquire_release() {
#define PERDURE_FENCE(ORDER, SCOPE) __nv_atomic_thread_fence(ORDER, SCOPE);
  PERDURE_ORDERED(PERDURE_FENCE, __NV_ATOMIC_ACQ_REL)
#undef PERDURE_FENCE
}
#undef PERDURE_ORDERED

#else  // the host: the same orders; scope has no meaning there

template <order O>
inline constexpr int host_order = O == order::relaxed   ? __ATOMIC_RELAXED
                                  : O == order::acquire ? __ATOMIC_ACQUIRE
                                                        : __ATOMIC_RELEASE;

#if defined(__SANITIZE_THREAD__)
#define PERDURE_WORDS_WHOLE 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PERDURE_WORDS_WHOLE 1
#endif
#endif

template <order O, scope S, class T>
T load(const T* at) {
#ifndef PERDURE_WORDS_WHOLE
  if constexpr (sizeof(T) ==
                16) {  // docs/adr/003: the half with the tag says whether the other is there
    T out;
    out.hi = __atomic_load_n(&at->hi, __ATOMIC_ACQUIRE);
    out.lo = __atomic_load_n(&at->lo, __ATOMIC_RELAXED);
    return out;
  } else
#endif
  {
    T out;
    __atomic_load(at, &out, host_order<O>);
    return out;
  }
}
template <order O, scope S, class T>
void store(T* at, T value) {
#ifndef PERDURE_WORDS_WHOLE
  if constexpr (sizeof(T) == 16) {
    __atomic_store_n(&at->lo, value.lo, __ATOMIC_RELAXED);
    __atomic_store_n(&at->hi, value.hi, __ATOMIC_RELEASE);
  } else
#endif
  {
    __atomic_store(at, &value, host_order<O>);
  }
}
template <scope S, class T>
T fetch_add(T* at, T value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
inline u32 grouped_add(u32* at, u32 value) { return fetch_add<scope::block>(at, value); }
template <scope S, class T>
T fetch_min(T* at, T value) {
  T seen = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (value < seen &&
         !__atomic_compare_exchange_n(at, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return seen;
}
template <scope S, class T>
T fetch_max(T* at, T value) {
  T seen = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (seen < value &&
         !__atomic_compare_exchange_n(at, &seen, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
  return seen;
}
inline bool swap_if(u64* at, u64& expected, u64 desired) {
  return __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}
template <scope S>
void fence_acquire_release() {
#if !defined( \
    __SANITIZE_THREAD__)  // TSan has no fences; what is paired here is also paired by acquire loads
  __atomic_thread_fence(__ATOMIC_ACQ_REL);
#endif
}

#endif

}  // namespace perdure::loop
