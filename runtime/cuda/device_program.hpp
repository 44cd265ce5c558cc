// runtime/cuda/device_program.hpp - a program's code on a device: from the cache, embedded, or compiled now.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "runtime/cuda/chip_plan.hpp"
#include "runtime/driver/kernel.hpp"
#include "runtime/jit/compile.hpp"

namespace perdure::runtime {

/// A program's code for a device, not loaded.
struct device_code {
  jit::cubin made;
  double ms = 0;  ///< that it took
  bool embedded = false;
};

struct device_program {
  driver::code_library library;
  driver::kernel kernel;
  driver::abi::device_ptr memory;  ///< its `perdure_memory`, which is set before the launch
  double compile_ms = 0, load_ms = 0, context_ms = 0;
  bool from_cache = false, embedded = false;
  std::uint32_t spill_bytes = 0;  ///< stored, of the loop and all that it calls; 0 if precompiled
  std::string hash{};             ///< of the cubin, see jit::cubin::hash()
};

/// Needs no context, so that it can go on while the driver makes one. @threads any; calls on_warning.
/// @param arch  such as "sm_90".
/// @return the code, or no_nvrtc, compile_failed (with the path of the log).
result<device_code> make_device_code(const std::string& arch, const program& actors,
                                     const chip_plan& plan, const options& opts);

/// @return the loaded kernel, or abi_mismatch, device_failed.
result<device_program> load_device_program(const driver::context& in, const program& actors,
                                           const device_code& code);

}  // namespace perdure::runtime
