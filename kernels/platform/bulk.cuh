// kernels/platform/bulk.cuh - whole states between memory and chip, moved by the device's copy engine.
// Why: lanes that copy wait in one line with all else that they read; 148 KB took them 11 us.
// Invariant: lane 0 issues all copies. Who wrote to the chip says so (has_written) before the barrier before they go out.
// Source: PTX ISA 8.x, cp.async.bulk, mbarrier and proxies. Devices before sm_90 have none of it; their lanes copy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/platform/builtins.cuh"

namespace perdure::loop {

using abi::u32;
using abi::u64;

/// What comes in is awaited at: in shared memory.
struct bulk_gate {
  u64 barrier;  ///< an mbarrier
  u32 begun;    ///< copies; each is a phase
};

#if defined(__CUDACC_RTC__) && __CUDA_ARCH__ >= 900

inline constexpr bool copies_in_bulk = true;

inline u32 shared_address(const void* at) { return static_cast<u32>(__cvta_generic_to_shared(at)); }
/// Lane 0, before a barrier: nothing has begun.
inline void open_gate(bulk_gate& g) {
  g.begun = 0;
  asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(&g.barrier))
               : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
/// Each lane, of the chip: what it wrote there may go out behind the next barrier.
inline void has_written() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
/// Lane 0. @param bytes  a multiple of 16; both ends are aligned to as much.  @param policy  first_to_leave()
inline void bulk_out(void* memory, const void* chip, u32 bytes, u64 policy) {
  asm volatile(
      "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, %3;\n"
      "cp.async.bulk.commit_group;"
      :
      : "l"(__cvta_generic_to_global(memory)), "r"(shared_address(chip)), "r"(bytes), "l"(policy)
      : "memory");
}
/// Lane 0: what was to go out has been read on chip; and is in memory.
inline void bulk_out_read() { asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory"); }
inline void bulk_out_done() { asm volatile("cp.async.bulk.wait_group 0;" ::: "memory"); }
/// Lane 0: brings memory nearer, to the L2 cache; no effect on what is computed.
inline void bulk_ahead(const void* memory, u32 bytes) {
  if (bytes == 0) return;
  asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(__cvta_generic_to_global(memory)),
               "r"(bytes));
}
/// Lane 0, when nobody looks at that part of the chip any more.
inline void bulk_in(bulk_gate& g, void* chip, const void* memory, u32 bytes, u64 policy) {
  const u32 barrier = shared_address(&g.barrier);
  ++g.begun;
  asm volatile(
      "fence.proxy.async;\n"
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n"
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
      "[%2], [%3], %1, [%0], %4;"
      :
      : "r"(barrier), "r"(bytes), "r"(shared_address(chip)), "l"(__cvta_generic_to_global(memory)),
        "l"(policy)
      : "memory");
}
/// Any lane, behind a barrier behind that: what was to come in has.
inline void bulk_in_wait(const bulk_gate& g) {
  if (g.begun == 0) return;
  const u32 phase = (g.begun - 1) & 1U;
  asm volatile(
      "{ .reg .pred there;\n"
      "wait: mbarrier.try_wait.parity.shared::cta.b64 there, [%0], %1;\n"
      "@!there bra wait; }"
      :
      : "r"(shared_address(&g.barrier)), "r"(phase)
      : "memory");
}

#else

inline constexpr bool copies_in_bulk = false;
inline void open_gate(bulk_gate& g) { g = {}; }
inline void has_written() {}
inline void bulk_out(void*, const void*, u32, u64) {}
inline void bulk_out_read() {}
inline void bulk_out_done() {}
inline void bulk_ahead(const void*, u32) {}
inline void bulk_in(bulk_gate&, void*, const void*, u32, u64) {}
inline void bulk_in_wait(const bulk_gate&) {}

#endif

}  // namespace perdure::loop
