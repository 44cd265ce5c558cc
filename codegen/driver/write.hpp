// codegen/driver/write.hpp - puts a set of files on disk, all or none.
// Why: a build that is cut off, or a full disk, must not leave half of a program behind.
// Invariant: every file is written whole beside its place and renamed; one that would not change is not touched.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace perdure::codegen {

struct output {
  std::filesystem::path path;
  std::string text;
};

/// @return empty, or what went wrong; after an error no temporary file is left and nothing was renamed.
std::string write_all(const std::vector<output>& outputs);

/// A depfile as make and ninja read it.
std::string depfile(const std::vector<output>& targets,
                    const std::vector<std::string>& dependencies);

}  // namespace perdure::codegen
