// apps/txmon/command_line.hpp - the options, and what they open.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "perdure/options.hpp"
#include "rule_schedule.hpp"
#include "source.hpp"

namespace txmon {

struct arguments {
  // where transactions come from
  std::string input, generate, columns, format = "auto";
  bool lenient = false;
  // the run
  std::string out = "out/txmon", alerts, json, rules_file, backend = "auto", checkpoints;
  std::uint64_t seed = 1, epoch_rows = 1'000'000;
  double epoch_seconds = 2, speed = 0;
  std::int64_t lateness_ms = 0, most_ahead_ms = 0, idle_flush_ms = 0;
  std::uint32_t threads = 1, lanes = 1, workers = 0, lanes_each = 0, inbox_slots = 0;
  bool verify = false, quiet = false, resume = false;
  // convert
  std::string to, rules_to;
};

void declare_source(CLI::App& app, arguments& a);
void declare_run(CLI::App& app, arguments& a);
void declare_convert(CLI::App& app, arguments& a);
/// What stands before `convert` or `bench` would be read by nobody. @throws CLI::ValidationError
void expect_nothing_before(const CLI::App& word, const CLI::App& app);

/// What is read and judged by.
struct opened_input {
  std::unique_ptr<source> from;
  std::shared_ptr<const rule_schedule> rules;
  std::string generated_rules;  ///< of a generator; else empty
  std::string
      reading;  ///< format, columns and strictness in words: the same rows again need the same
};
/// @throws failure
opened_input open_input(const arguments& a);

perdure::options system_options(const arguments& a);

/// The second file that the summary goes to, if there is one.
std::filesystem::path copy_path(const arguments& a);
/// Where alerts go: what was said, or alerts.jsonl beside the summary.
std::string alerts_path(const arguments& a);

}  // namespace txmon
