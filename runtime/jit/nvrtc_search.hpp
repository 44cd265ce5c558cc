// runtime/jit/nvrtc_search.hpp - where libnvrtc may lie, in the order in which it is tried.
// Why: toolkits are installed by package, by runfile, and beside an nvcc on PATH.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace perdure::runtime::jit {

/// Names for dlopen. With $PERDURE_NVRTC set, only what it names: a user who names one means that
///   one.
std::vector<std::string> nvrtc_candidates();

}  // namespace perdure::runtime::jit
