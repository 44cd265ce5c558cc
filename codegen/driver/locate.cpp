// codegen/driver/locate.cpp - see locate.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "codegen/driver/locate.hpp"

#include <cstdlib>
#include <filesystem>
#include <sstream>

#ifndef PERDURE_CLANG_RESOURCE_DIR
#error "the build gives PERDURE_CLANG_RESOURCE_DIR (clang-19 -print-resource-dir)"
#endif
#ifndef PERDURE_INCLUDE_DIRS
#error "the build gives PERDURE_INCLUDE_DIRS, separated by ':'"
#endif

namespace perdure::codegen {
namespace fs = std::filesystem;
namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in{text};
  for (std::string part; std::getline(in, part, ':');) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

std::string resource_dir() {
  const auto given = from_environment("PERDURE_CLANG_RESOURCE_DIR");
  return given.empty() ? PERDURE_CLANG_RESOURCE_DIR : given;
}

std::vector<std::string> include_dirs() {
  const auto given = from_environment("PERDURE_INCLUDE_DIRS");
  if (!given.empty()) return split(given);
  std::error_code failed;
  const auto self = fs::read_symlink("/proc/self/exe", failed);
  if (!failed) {  // include/perdure-<version>/ of an install tree
    for (fs::directory_iterator d{self.parent_path().parent_path() / "include", failed}, end;
         !failed && d != end; d.increment(failed)) {
      std::error_code none;
      if (fs::exists(d->path() / "perdure" / "actor.hpp", none)) return {d->path().string()};
    }
  }
  return split(PERDURE_INCLUDE_DIRS);
}

}  // namespace perdure::codegen
