// codegen/driver/native.hpp - the architectures of this machine's GPUs.
// Why: a program is mostly started where it is built; code made in the build need not be made at the first start.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace perdure::codegen {

/// What `--precompile native` stands for.
struct native_architectures {
  std::vector<std::string> archs;  ///< each once, such as "sm_90"; none where no GPU can be used
  std::string note;                ///< why a GPU that is there gets no code; else empty
};

/// Of the GPUs that this machine's NVRTC compiles for.
native_architectures find_native();

}  // namespace perdure::codegen
