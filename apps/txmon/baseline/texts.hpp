// apps/txmon/baseline/texts.hpp - kernels.cu and what it includes, as text; CMakeLists.txt beside this file lists them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "runtime/jit/compile.hpp"

namespace txmon::baseline {
extern const char* const kernels_text;
/// The rules' headers, each by the name it is included by.
std::vector<perdure::runtime::jit::header> rule_headers();
}  // namespace txmon::baseline
