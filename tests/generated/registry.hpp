// tests/generated/registry.hpp - the generated programs that this binary was built with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "perdure/program.hpp"

namespace perdure::generated {

/// One entry a generated header. Defined in a file that CMake writes, since CMake decides how many there are.
std::vector<const program*> registry();

}  // namespace perdure::generated
