// codegen/driver/locate.hpp - where Clang's headers and perdure's own are.
// Why: the tool is run from a build tree and from an install tree; paths of the build are only a default.
// Order: option, environment, beside the executable, what the build found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace perdure::codegen {

std::string resource_dir();
std::vector<std::string> include_dirs();

}  // namespace perdure::codegen
