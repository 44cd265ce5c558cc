// apps/wavesim3d/places.cpp - see places.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "places.hpp"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "checkpoint.hpp"
#include "common/failure.hpp"
#include "common/output_file.hpp"

namespace wavesim3d {
namespace {

namespace fs = std::filesystem;

struct file_role {
  std::string_view role;
  std::string path;
  bool written;
};

/// Whether it is one of the files that the run leaves in its folder. Not the summary's copy, where that is the summary.
bool is_of_the_run(const file_role& one, const places& said, const outputs& run) {
  const fs::path name = fs::weakly_canonical(one.path).filename();
  if (!apps::same_file(one.path, fs::path{said.out} / name)) return false;
  return run.writes(name.string()) || (name == "result.json" && one.role != "--json");
}

void expect_distinct(const places& said, const outputs& run) {
  std::vector<file_role> all{{"the scene", said.scene, false}};
  const auto add = [&](std::string_view role, const std::string& path, bool written) {
    if (!path.empty() && path != "-") all.push_back({role, path, written});
  };
  add("--resume", said.resume, false);
  add("--checkpoint", said.checkpoint, true);
  add("--json", said.json, true);
  const auto refuse = [](const file_role& one, const std::string& other) {
    throw apps::failure{
        fmt::format("{}: is {} and {}; it would be replaced", one.path, one.role, other),
        apps::exit_code::usage};
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    const file_role& one = all[i];
    if (is_of_the_run(one, said, run))
      refuse(one, fmt::format("a file that the run leaves in --out {}", said.out));
    for (std::size_t k = i + 1; k < all.size(); ++k) {
      const file_role& other = all[k];
      const bool goes_on = one.role == "--resume" && other.role == "--checkpoint";
      if (other.written && !goes_on && apps::same_file(one.path, other.path))
        refuse(one, std::string{other.role});
    }
  }
}

}  // namespace

void expect_places(const places& said, const outputs& run) {
  expect_distinct(said, run);
  if (!said.checkpoint.empty() && fs::exists(said.checkpoint) &&
      !looks_like_checkpoint(said.checkpoint)) {
    throw apps::failure{
        fmt::format("--checkpoint {}: there is a file that is no checkpoint of wavesim3d; it would "
                    "be replaced",
                    said.checkpoint),
        apps::exit_code::usage};
  }
  std::vector<fs::path> all = run.names_at_the_end();
  all.emplace_back(fs::path{said.out} / "result.json");
  if (!said.json.empty() && said.json != "-") all.emplace_back(said.json);
  if (!said.checkpoint.empty()) all.emplace_back(said.checkpoint);
  for (const fs::path& place : all) {
    apps::expect_writable(place);
    apps::remove_parts_of_the_dead(place);
  }
  apps::remove_parts_of_the_dead_in(said.out);
}

}  // namespace wavesim3d
