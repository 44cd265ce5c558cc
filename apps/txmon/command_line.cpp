// apps/txmon/command_line.cpp - see command_line.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "binary_file.hpp"
#include "column_map.hpp"
#include "common/tell.hpp"
#include "common/validators.hpp"
#include "csv_source.hpp"
#include "failure.hpp"
#include "generator.hpp"

namespace txmon {

void declare_source(CLI::App& app, arguments& a) {
  app.option_defaults()->multi_option_policy(
      CLI::MultiOptionPolicy::TakeLast);  // a script's, then the user's
  app.add_option("--input", a.input,
                 "CSV, plain or gzip, or a binary file (.bin); - for standard input")
      ->check(apps::is_path);
  app.add_option(
         "--generate", a.generate,
         "make transactions: rows=100000,accounts=10000,zipf=0.99,fraud=1000,gap=5000,disorder=0,seed=1")
      ->expected(0, 1)
      ->default_str("")
      ->excludes("--input");
  app.add_option("--format", a.format, "of the input; auto: binary for names ending in .bin")
      ->check(CLI::IsMember({"auto", "csv", "binary"}))
      ->capture_default_str();
  app.add_option("--columns", a.columns, "JSON file: which column is what; without it PaySim's")
      ->check(apps::is_path)
      ->excludes("--generate");
  app.add_flag("--lenient", a.lenient,
               "skip and count malformed lines instead of stopping at the first");
}

void declare_run(CLI::App& app, arguments& a) {
  app.add_option("--out", a.out, "directory for alerts.jsonl and result.json")
      ->check(apps::is_path)
      ->capture_default_str();
  app.add_option(
         "--alerts", a.alerts,
         "store alerts in this file instead: .db, .sqlite, .sqlite3 for SQLite, .jsonl for JSON lines")
      ->check(apps::is_path);
  app.add_option("--rules", a.rules_file,
                 "JSON file of parameters, customers and changes; SIGHUP reads it again")
      ->check(apps::is_path);
  app.add_option("--lateness", a.lateness_ms,
                 "how far event times may run backwards, ms; beyond it they are late")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40U))
      ->capture_default_str();
  app.add_option(
         "--most-ahead", a.most_ahead_ms,
         "how far an event time may lie above the greatest before it, ms; 0: no matter how far")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 48U))
      ->capture_default_str();
  app.add_option("--threads", a.threads, "that read the input")
      ->check(CLI::Range(1U, 256U))
      ->capture_default_str();
  app.add_option("--lanes", a.lanes, "threads that send to the accounts, each its share")
      ->check(CLI::Range(1U, 64U))
      ->capture_default_str();
  app.add_option("--speed", a.speed,
                 "replay: event time runs so many times as fast as the clock; 0: at once")
      ->check(CLI::Range(0.0, 1e9))
      ->check(apps::is_number)
      ->capture_default_str();
  app.add_option("--checkpoints", a.checkpoints,
                 "folder for checkpoints; alerts are stored as each is made")
      ->check(apps::is_path);
  app.add_flag("--resume", a.resume, "go on from the last checkpoint")->needs("--checkpoints");
  app.add_option("--epoch-rows", a.epoch_rows,
                 "store alerts and make a checkpoint after so many rows")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U))
      ->capture_default_str();
  app.add_option("--epoch-seconds", a.epoch_seconds, "or after so much time")
      ->check(CLI::Range(0.0, 1e6))
      ->check(apps::is_number)
      ->capture_default_str();
  app.add_option("--idle-flush", a.idle_flush_ms,
                 "or after so many ms without a row, as on a silent pipe; 0: never")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{1} << 40U))
      ->needs("--checkpoints")
      ->capture_default_str();
  app.add_option("--backend", a.backend, "where the accounts live")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--workers", a.workers,
                 "thread blocks or threads that run the accounts; 0: choose");
  app.add_option("--lanes-each", a.lanes_each, "threads of a thread block; 0: choose");
  app.add_option("--inbox-slots", a.inbox_slots,
                 "of a worker's inbox; a power of two from 64; 0: choose");
  app.add_option("--json", a.json, "also write result.json to this file; - for standard output")
      ->check(apps::is_path);
  app.add_option("--seed", a.seed, "of the system's random numbers and seeded scheduler")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--verify", a.verify, "run the single-thread oracle too and fail on any difference");
  app.add_flag("--quiet", a.quiet, "no summary, no progress");
}

void declare_convert(CLI::App& app, arguments& a) {
  declare_source(app, a);
  app.add_option("--to", a.to, "the binary file to write")->required()->check(apps::is_path);
  app.add_option("--rules-to", a.rules_to, "with --generate: also write its rule file")
      ->check(apps::is_path)
      ->needs("--generate");
  app.add_flag("--quiet", a.quiet, "no progress");
}

void expect_nothing_before(const CLI::App& word, const CLI::App& app) {
  for (const CLI::Option* each : app.get_options({})) {
    if (each->count() > 0)
      throw CLI::ValidationError{
          each->get_name(),
          fmt::format("stands before '{}', whose options stand behind it", word.get_name())};
  }
}

opened_input open_input(const arguments& a) {
  opened_input in;
  const bool binary = a.format == "binary" || (a.format == "auto" && a.input.ends_with(".bin"));
  if (a.input.empty()) {
    auto made = std::make_unique<generator>(generator_settings::parse(a.generate));
    in.generated_rules = made->rule_file();
    in.from = std::move(made);
    in.reading = "the generator";
  } else if (binary) {
    if (!a.columns.empty())
      throw failure{fmt::format("--columns {}: {} is read as a binary file, which has no columns",
                                a.columns, a.input),
                    exit_code::usage};
    in.from = std::make_unique<binary_source>(a.input, a.lenient);
    in.reading = fmt::format("format binary{}", a.lenient ? ", --lenient" : "");
  } else {
    const auto columns = a.columns.empty() ? column_map::paysim() : column_map::read(a.columns);
    in.from = std::make_unique<csv_source>(a.input, columns, a.lenient);
    in.reading =
        fmt::format("format csv, columns {}{}", columns.text(), a.lenient ? ", --lenient" : "");
  }
  if (a.most_ahead_ms > 0) in.reading += fmt::format(", --most-ahead {}", a.most_ahead_ms);
  in.rules = std::make_shared<const rule_schedule>(
      !a.rules_file.empty()         ? rule_schedule::read(a.rules_file)
      : !in.generated_rules.empty() ? rule_schedule::parse(in.generated_rules, "--generate")
                                    : rule_schedule{});
  return in;
}

perdure::options system_options(const arguments& a) {
  perdure::options o;
  o.host_lanes =
      std::clamp(a.lanes + 1, 8U, 64U);  // one a sender, one for the thread that reads states
  o.backend = a.backend == "cpu"    ? perdure::backend::cpu
              : a.backend == "cuda" ? perdure::backend::cuda
                                    : perdure::backend::automatic;
  o.seed = a.seed;
  o.workers = a.workers;
  o.lanes = a.lanes_each;
  o.inbox_slots = a.inbox_slots;
  if (!a.quiet) o.on_warning = [](const std::string& w) { apps::tell("txmon: {}", w); };
  return o;
}

std::filesystem::path copy_path(const arguments& a) {
  const bool is_file = !a.json.empty() && a.json != "-";
  const bool copies =
      is_file && !apps::same_file(a.json, std::filesystem::path{a.out} / "result.json");
  return copies ? a.json : "";
}

std::string alerts_path(const arguments& a) {
  return a.alerts.empty() ? (std::filesystem::path{a.out} / "alerts.jsonl").string() : a.alerts;
}

}  // namespace txmon
