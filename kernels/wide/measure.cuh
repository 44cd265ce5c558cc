// kernels/wide/measure.cuh - a wide handler as a kernel of its own, for the check of perdure-gen.
// Why: the assembler then says what registers, stack and spills one handler takes with its per_lane values in registers.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if defined(__CUDACC_RTC__)

#include "kernels/entry.cuh"

namespace perdure::loop {

inline void measure_wide(u32 handler, u32 type, char* slot, const void* message,
                         const u32* landed_at, lane_state* out) {
  extern __shared__ uint4 chip_memory[];
  const memory& m = perdure_memory;
  on_chip& c = *reinterpret_cast<on_chip*>(chip_memory);
  __shared__ collective_slots slots;
  whole_block b{&slots};
  const abi::type_row& row = c[m.types_here][type];
  private_values_of<device_handle> mine;
  mine.load(row, slot, b.lane());
  wide_call<whole_block> made{&b,
                              &c,
                              &m,
                              *out,
                              held_state(c, m, row, slot),
                              mine.at,
                              reinterpret_cast<const char*>(c[m.in]),
                              landed_at,
                              ~0U};
  if (gen::table::is_joined(handler)) {
    device_handle{}.joined(made, handler);
  } else {
    device_handle{}.wide(made, handler, message);
  }
  mine.save(row, slot, b.lane());
  *out = made.call;
}

}  // namespace perdure::loop

#endif
