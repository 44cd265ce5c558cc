// apps/txmon/distinct_files.cpp - see distinct_files.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "distinct_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <vector>

#include "failure.hpp"
#include "line_store.hpp"

namespace txmon {
namespace {

namespace fs = std::filesystem;

struct file_role {
  std::string role, path;
  bool written;
};

std::vector<file_role> places_of(const arguments& a, bool converts) {
  std::vector<file_role> all;
  const auto add = [&](const std::string& role, const std::string& path, bool written) {
    if (!path.empty() && path != "-") all.push_back({role, path, written});
  };
  add("--input", a.input, false);
  add("--columns", a.columns, false);
  if (converts) {
    add("--to", a.to, true);
    add("--rules-to", a.rules_to, true);
    return all;
  }
  add("--rules", a.rules_file, false);
  const auto alerts = alerts_path(a);
  add("the summary", (fs::path{a.out} / "result.json").string(), true);
  add("--json", copy_path(a).string(), true);
  add("--alerts", alerts, true);
  add("late rows", late_path(alerts), true);
  return all;
}

}  // namespace

void expect_distinct_files(const arguments& a, bool converts) {
  const auto all = places_of(a, converts);
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      const file_role &one = all[i], &other = all[k];
      if (!one.written && !other.written) continue;
      if (!apps::same_file(one.path, other.path)) continue;
      throw failure{
          fmt::format("{}: is {} and {}; it would be replaced", other.path, one.role, other.role),
          exit_code::usage};
    }
  }
}

}  // namespace txmon
