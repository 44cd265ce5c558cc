// codegen/frontend/parse.hpp - the whole frontend behind one call; no Clang type crosses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "codegen/model/program.hpp"

namespace perdure::codegen::frontend {

struct parse_options {
  std::string header;
  std::string name;  ///< of the program: generated code puts its functions into this namespace
  std::string resource_dir;               ///< Clang's own headers
  std::vector<std::string> include_dirs;  ///< roots that hold perdure/ and kernels/
  std::vector<std::string> arguments;     ///< the user's flags, as a compiler takes them
  bool color = false;
};

/// Parses and checks `header`. Errors are printed to stderr as Clang prints them.
/// @return the program, or nothing after an error.
std::optional<program> parse(const parse_options& options);

}  // namespace perdure::codegen::frontend
