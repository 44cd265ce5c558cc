// apps/txmon/alert_store.cpp - see alert_store.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "alert_store.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "failure.hpp"
#include "line_store.hpp"
#include "sqlite_store.hpp"

namespace txmon {

std::unique_ptr<alert_store> alert_store::open(const std::string& path, store_mode mode,
                                               teller warn) {
  remove_parts_of_the_dead(path);
  remove_parts_of_the_dead(late_path(path));
  const auto kind = std::filesystem::path{path}.extension().string();
  if (kind == ".db" || kind == ".sqlite" || kind == ".sqlite3")
    return open_database(path, mode, std::move(warn));
  if (kind == ".jsonl") return open_lines(path, mode);
  throw failure{
      fmt::format("{}: expected a name that ends in .db, .sqlite, .sqlite3 or .jsonl", path),
      exit_code::usage};
}

}  // namespace txmon
