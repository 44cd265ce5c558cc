// kernels/entry.cuh - stands at the end of every generated unit: the kernel, or what tests call instead.
// Why: the program's table is known here, so the user's handlers are inlined into the loop.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC_RTC__)

#include "kernels/dispatch/idle.cuh"
#include "kernels/platform/block_device.cuh"
#include "kernels/platform/device_clock.cuh"

#ifndef PERDURE_LANES
#define PERDURE_LANES 512
#endif

namespace perdure::loop {

struct device_handle {
  void operator()(u32 handler, void* state, const message_view& message, lane_state& call) const {
    detail::lane lane{call, call.self, call.sender()};
    context ctx{lane};
    detail::message_source source{message};
    gen::table::invoke(handler, state, source, ctx);
  }
};

}  // namespace perdure::loop

/// One worker a block; launched cooperatively, so that all workers make progress.
extern "C" __global__ void __launch_bounds__(PERDURE_LANES, 1)
    perdure_loop(const __grid_constant__ perdure::loop::memory m) {
  using namespace perdure::loop;
  extern __shared__ uint4 chip_memory[];
  __shared__ collective_slots slots;
  block_device b{&slots};
  if (threadIdx.x == 0) place_on_chip(reinterpret_cast<char*>(chip_memory), m);
  __syncthreads();
  on_chip& c = *reinterpret_cast<on_chip*>(chip_memory);
  device_handle handle;
  device_clock clock;
  begin(b, c, m, blockIdx.x);
  for (;;) {
    const progress p = turn(b, c, m, handle, clock);
    if (p == progress::halted) break;
    if (p == progress::idle) wait_for_work(b, c, m, clock);
  }
}

#else

namespace perdure::gen {

/// The message lies unpacked in memory.
struct memory_source {
  const void* message;
  template <class M>
  const M& get() const {
    return *static_cast<const M*>(message);
  }
};

}  // namespace perdure::gen

/// Runs one handler of the lowered text on the host; tests put it in place of the native `invoke`.
extern "C" void perdure_lowered_invoke(unsigned handler, void* self, const void* message, perdure::context& ctx) {
  perdure::gen::memory_source source{message};
  perdure::gen::table::invoke(handler, self, source, ctx);
}

#endif
