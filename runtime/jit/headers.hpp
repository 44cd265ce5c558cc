// runtime/jit/headers.hpp - the device headers that NVRTC gets from memory.
// Why: a machine that runs a program needs libnvrtc and nothing of this tree.
// Invariant: names are spelled as in `#include`: "kernels/unit.cuh", "perdure/actor.hpp", "array".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

namespace perdure::runtime::jit {

struct header {
  const char* name;  ///< as included, zero-terminated
  const char* text;  ///< the whole file, zero-terminated
};

/// kernels/**.cuh, kernels/abi/*.def, dsl's public headers and mini_std, as they were when the
///   library
/// was built (tools/cmake/embed.cmake). Static storage, sorted by name.
std::span<const header> embedded_headers();

}  // namespace perdure::runtime::jit
