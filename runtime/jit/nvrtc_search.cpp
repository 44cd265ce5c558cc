// runtime/jit/nvrtc_search.cpp - see nvrtc_search.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "runtime/jit/nvrtc_search.hpp"

#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace perdure::runtime::jit {
namespace {

namespace fs = std::filesystem;
constexpr const char* file_names[] = {"libnvrtc.so.13", "libnvrtc.so"};

void add_folder(std::vector<std::string>& to, const fs::path& folder) {
  for (const char* name : file_names) to.push_back((folder / name).string());
}

void add_toolkit(std::vector<std::string>& to, const fs::path& root) {
  std::error_code ignored;
  for (const char* part : {"lib64", "lib", "targets/x86_64-linux/lib"}) {
    if (fs::is_directory(root / part, ignored)) add_folder(to, root / part);
  }
}

/// The folder above the bin that holds the nvcc found on PATH, links followed; empty if there is
///   none.
fs::path toolkit_on_path() {
  const char* path = std::getenv("PATH");
  for (std::string_view rest = path != nullptr ? path : ""; !rest.empty();) {
    const auto colon = rest.find(':');
    const fs::path nvcc = fs::path{rest.substr(0, colon)} / "nvcc";
    rest.remove_prefix(colon == std::string_view::npos ? rest.size() : colon + 1);
    std::error_code failed;
    if (!fs::exists(nvcc, failed)) continue;
    const fs::path real = fs::canonical(nvcc, failed);
    if (!failed) return real.parent_path().parent_path();
  }
  return {};
}

}  // namespace

std::vector<std::string> nvrtc_candidates() {
  std::vector<std::string> all;
  if (const char* named = std::getenv("PERDURE_NVRTC"); named != nullptr && *named != '\0') {
    std::error_code ignored;
    if (fs::is_directory(named, ignored)) {
      add_folder(all, named);
    } else {
      all.emplace_back(named);
    }
    return all;
  }
  for (const char* name : file_names) all.emplace_back(name);
  add_toolkit(all, "/usr/local/cuda");
  if (const auto root = toolkit_on_path(); !root.empty()) add_toolkit(all, root);
  return all;
}

}  // namespace perdure::runtime::jit
