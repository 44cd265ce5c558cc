// kernels/platform/atomics.cuh - atomics named by order and scope, one spelling for host and device.
// Why: the CPU backend must use exactly the order the device uses, so that its tests mean something.
// Invariant: a 16-byte word is one access on the device (.b128) and, so that nothing is stronger than there, under
//            TSan; elsewhere on the host it is two 8-byte halves, the tagged one last (docs/adr/003). On the host
//            never asm, which TSan cannot see.
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

// The built-ins know generic addresses only: on shared memory those become a test of the address space and a slower
// access, so the space is said here. What the lanes of a block share is in shared memory, all else is global.
#define PERDURE_SPACES(ACCESS)                              \
  if constexpr (S == scope::block) {                        \
    ACCESS("cta.shared::cta", __cvta_generic_to_shared(at)) \
  } else if constexpr (S == scope::device) {                \
    ACCESS("gpu.global", __cvta_generic_to_global(at))      \
  } else {                                                  \
    ACCESS("sys.global", __cvta_generic_to_global(at))      \
  }

template <order O, scope S, class T>
T load(const T* at) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  if constexpr (sizeof(T) == 16) {
    static_assert(O == order::relaxed, "a word says by its lap that it is whole");
    T out;
#define PERDURE_LOAD(SPACE, AT)                                                             \
  asm volatile("{ .reg .b128 w; ld.relaxed." SPACE ".b128 w, [%2]; mov.b128 {%0, %1}, w; }" \
               : "=l"(out.lo), "=l"(out.hi)                                                 \
               : "l"(AT));
    PERDURE_SPACES(PERDURE_LOAD)
#undef PERDURE_LOAD
    return out;
  } else if constexpr (O == order::acquire) {
    u64 out = 0;
#define PERDURE_LOAD(SPACE, AT)                                                          \
  if constexpr (sizeof(T) == 8) {                                                        \
    asm volatile("ld.acquire." SPACE ".b64 %0, [%1];" : "=l"(out) : "l"(AT) : "memory"); \
  } else {                                                                               \
    u32 low;                                                                             \
    asm volatile("ld.acquire." SPACE ".b32 %0, [%1];" : "=r"(low) : "l"(AT) : "memory"); \
    out = low;                                                                           \
  }
    PERDURE_SPACES(PERDURE_LOAD)
#undef PERDURE_LOAD
    return static_cast<T>(out);
  } else {
    u64 out = 0;
#define PERDURE_LOAD(SPACE, AT)                                               \
  if constexpr (sizeof(T) == 8) {                                             \
    asm volatile("ld.relaxed." SPACE ".b64 %0, [%1];" : "=l"(out) : "l"(AT)); \
  } else {                                                                    \
    u32 low;                                                                  \
    asm volatile("ld.relaxed." SPACE ".b32 %0, [%1];" : "=r"(low) : "l"(AT)); \
    out = low;                                                                \
  }
    PERDURE_SPACES(PERDURE_LOAD)
#undef PERDURE_LOAD
    return static_cast<T>(out);
  }
}

template <order O, scope S, class T>
void store(T* at, T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8 || sizeof(T) == 16);
  if constexpr (sizeof(T) == 16) {
    static_assert(O == order::relaxed, "a word says by its lap that it is whole");
#define PERDURE_STORE(SPACE, AT)                                                            \
  asm volatile("{ .reg .b128 w; mov.b128 w, {%0, %1}; st.relaxed." SPACE ".b128 [%2], w; }" \
               :                                                                            \
               : "l"(value.lo), "l"(value.hi), "l"(AT));
    PERDURE_SPACES(PERDURE_STORE)
#undef PERDURE_STORE
  } else if constexpr (O == order::release) {
#define PERDURE_STORE(SPACE, AT)                                                           \
  if constexpr (sizeof(T) == 8) {                                                          \
    asm volatile("st.release." SPACE ".b64 [%0], %1;" : : "l"(AT), "l"(value) : "memory"); \
  } else {                                                                                 \
    asm volatile("st.release." SPACE ".b32 [%0], %1;" : : "l"(AT), "r"(value) : "memory"); \
  }
    PERDURE_SPACES(PERDURE_STORE)
#undef PERDURE_STORE
  } else {
#define PERDURE_STORE(SPACE, AT)                                                \
  if constexpr (sizeof(T) == 8) {                                               \
    asm volatile("st.relaxed." SPACE ".b64 [%0], %1;" : : "l"(AT), "l"(value)); \
  } else {                                                                      \
    asm volatile("st.relaxed." SPACE ".b32 [%0], %1;" : : "l"(AT), "r"(value)); \
  }
    PERDURE_SPACES(PERDURE_STORE)
#undef PERDURE_STORE
  }
}

/// Relaxed read-modify-writes; each returns the value before.
#define PERDURE_RMW_OP(OP, SPACE, AT)                              \
  if constexpr (sizeof(T) == 8) {                                  \
    asm volatile("atom.relaxed." SPACE "." OP ".u64 %0, [%1], %2;" \
                 : "=l"(before)                                    \
                 : "l"(AT), "l"(value)                             \
                 : "memory");                                      \
  } else {                                                         \
    asm volatile("atom.relaxed." SPACE "." OP ".u32 %0, [%1], %2;" \
                 : "=r"(before)                                    \
                 : "l"(AT), "r"(value)                             \
                 : "memory");                                      \
  }
template <scope S, class T>
T fetch_add(T* at, T value) {
  T before;
#define PERDURE_RMW(SPACE, AT) PERDURE_RMW_OP("add", SPACE, AT)
  PERDURE_SPACES(PERDURE_RMW)
#undef PERDURE_RMW
  return before;
}
template <scope S, class T>
T fetch_min(T* at, T value) {
  T before;
#define PERDURE_RMW(SPACE, AT) PERDURE_RMW_OP("min", SPACE, AT)
  PERDURE_SPACES(PERDURE_RMW)
#undef PERDURE_RMW
  return before;
}
template <scope S, class T>
T fetch_max(T* at, T value) {
  T before;
#define PERDURE_RMW(SPACE, AT) PERDURE_RMW_OP("max", SPACE, AT)
  PERDURE_SPACES(PERDURE_RMW)
#undef PERDURE_RMW
  return before;
}
#undef PERDURE_RMW_OP
#undef PERDURE_SPACES

/// Puts `desired` where `expected` stands. @return what stood there.
/// @memory  acquire, block: pairs with the release that put it there.
inline u32 claim(u32* at, u32 expected, u32 desired) {
  u32 before;
  asm volatile("atom.acquire.cta.shared::cta.cas.b32 %0, [%1], %2, %3;"
               : "=r"(before)
               : "l"(__cvta_generic_to_shared(at)), "r"(expected), "r"(desired)
               : "memory");
  return before;
}
/// As claim(), of the lanes that `claims` holds for; 0 for the others. One instruction, so none parts from the others.
inline u32 claim_if(bool claims, u32* at, u32 expected, u32 desired) {
  u32 before;
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.u32 p, %4, 0;\n"
      "mov.u32 %0, 0;\n"
      "@p atom.acquire.cta.shared::cta.cas.b32 %0, [%1], %2, %3;\n"
      "}"
      : "=&r"(before)
      : "l"(__cvta_generic_to_shared(at)), "r"(expected), "r"(desired),
        "r"(static_cast<u32>(claims))
      : "memory");
  return before;
}

/// Tells the host that something was read, and may be written over. A release would wait until all that was written to the
/// host has arrived, some 1.2 us; what was read has come when this is called, since it has been looked at.
/// @memory  behind the reads that this thread has used, or has met in a barrier; orders no writes
inline void store_behind_reads(u64* at, u64 value) {
  asm volatile("st.relaxed.sys.global.b64 [%0], %1;"
               :
               : "l"(__cvta_generic_to_global(at)), "l"(value)
               : "memory");
}
/// What stands before it is seen by all workers of the device before what store_behind_fence() writes behind it: one wait for
/// several stores that release.
inline void release_fence() { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }
template <class T>
void store_behind_fence(T* at, T value) {
  store<order::relaxed, scope::device>(at, value);
}

/// What was read there, relaxed, is acquired: what its writer's block had done before is seen behind it.
inline void acquire_seen(const u64* /*at*/) { asm volatile("fence.acq_rel.gpu;" : : : "memory"); }

/// Compare-and-swap, acquire and release at device scope: the pool's free list.
inline bool swap_if(u64* at, u64& expected, u64 desired) {
  return __nv_atomic_compare_exchange_n(at, &expected, desired, false, __NV_ATOMIC_ACQ_REL,
                                        __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE);
}

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
inline void acquire_seen(const u64* at) { (void)load<order::acquire, scope::device>(at); }
/// A sanitizer knows no fences, so each store releases by itself.
inline void release_fence() {}
inline void store_behind_reads(u64* at, u64 value) {
  store<order::release, scope::system>(at, value);
}
inline void store_behind_fence(u64* at, u64 value) {
  store<order::release, scope::device>(at, value);
}
inline void store_behind_fence(word* at, word value) {
  __atomic_store_n(&at->lo, value.lo, __ATOMIC_RELAXED);
  __atomic_store_n(&at->hi, value.hi, __ATOMIC_RELEASE);
}
template <scope S, class T>
T fetch_add(T* at, T value) {
  return __atomic_fetch_add(at, value, __ATOMIC_RELAXED);
}
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
inline u32 claim(u32* at, u32 expected, u32 desired) {
  __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE);
  return expected;
}
inline u32 claim_if(bool claims, u32* at, u32 expected, u32 desired) {
  return claims ? claim(at, expected, desired) : 0;
}
inline bool swap_if(u64* at, u64& expected, u64 desired) {
  return __atomic_compare_exchange_n(at, &expected, desired, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE);
}

#endif

}  // namespace perdure::loop
