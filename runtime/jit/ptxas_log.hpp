// runtime/jit/ptxas_log.hpp - registers, stack and spills of each function, out of the
//   assembler's log.
// Why: the tool prints them a type and warns of a stack frame; NVRTC says them in text only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace perdure::runtime::jit {

struct function_usage {
  std::string name;             ///< mangled, as in the cubin
  bool entry = false;           ///< a kernel; else a device function that was not inlined
  std::uint32_t registers = 0;  ///< a thread; entries only
  std::uint32_t barriers = 0;
  std::uint32_t stack_bytes = 0;          ///< this function's own frame
  std::uint32_t deepest_stack_bytes = 0;  ///< with all that it calls; entries only
  std::uint32_t spill_store_bytes = 0;
  std::uint32_t spill_load_bytes = 0;
  std::uint32_t shared_bytes = 0;  ///< static shared memory a block
};

/// Reads a log made with `--ptxas-options=-v`. Lines of other kinds are passed over.
std::vector<function_usage> parse_ptxas_log(std::string_view log);

}  // namespace perdure::runtime::jit
