// runtime/cuda/device_program.hpp - a program's code on a device: from the cache, embedded, or compiled now.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/cuda/chip_plan.hpp"
#include "runtime/driver/kernel.hpp"

namespace perdure::runtime {

struct device_program {
  driver::code_library library;
  driver::kernel kernel;
  driver::abi::device_ptr memory;  ///< its `perdure_memory`, which is set before the launch
  double compile_ms = 0, load_ms = 0, context_ms = 0;
  bool from_cache = false;
  std::uint32_t spill_bytes = 0;  ///< stored, of the loop and all that it calls; 0 if precompiled
  std::string hash{};             ///< of the cubin, see jit::cubin::hash()
};

/// @return the loaded kernel, or no_nvrtc, compile_failed (with the path of the log), device_failed.
result<device_program> make_device_program(const driver::context& in, const program& actors,
                                           const chip_plan& plan, const options& opts);

}  // namespace perdure::runtime
