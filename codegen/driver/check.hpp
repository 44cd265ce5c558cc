// codegen/driver/check.hpp - compiles the generated unit for real architectures, in the build, without a GPU.
// Why: what NVRTC refuses must fail the build of the user, at the user's line, not the start of the program.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/model/program.hpp"

namespace perdure::codegen {

struct checked {
  std::vector<device_report> reports;  ///< one a real architecture, in the order asked for
  std::string errors;                  ///< NVRTC's log with the user's lines; empty if all is well
  std::string warnings;
};

/// Whether it is one that has no machine code, such as "compute_90".
bool is_virtual(const std::string& arch);

/// @param source  <stem>.actors.cu.
/// @param archs  "sm_90" or the like; of "compute_90" or the like only whether NVRTC takes the unit, in a fraction of the time.
checked check(const program& p, const std::string& source, const std::vector<std::string>& archs);

struct precompiled {
  std::vector<compiled_unit> cubins;
  std::string errors;
};

/// The cubins that the registry carries, so that a program starts without NVRTC.
precompiled precompile(const program& p, const std::string& source,
                       const std::vector<std::string>& archs);

}  // namespace perdure::codegen
