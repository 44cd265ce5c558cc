// apps/txmon/main.cpp - the command line: reads, monitors, verifies, writes.
// Why: what a script needs to know (exit codes, files) is decided in one place.
// Invariant: the files of a run appear only after all of them have been written in full.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "accounts.hpp"
#include "failure.hpp"
#include "monitor.hpp"
#include "oracle.hpp"
#include "paysim_reader.hpp"
#include "report.hpp"
#include "rules_file.hpp"

namespace {

using namespace txmon;
using clock = std::chrono::steady_clock;

struct arguments {
  std::string input, out = "out/txmon", json, rules_file, backend = "auto";
  std::uint64_t seed = 1;
  bool verify = false, quiet = false;
};

void declare(CLI::App& app, arguments& a) {
  app.option_defaults()->multi_option_policy(
      CLI::MultiOptionPolicy::TakeLast);  // a script's, then the user's
  app.add_option("--input", a.input, "PaySim CSV, plain or gzip; - for standard input")->required();
  app.add_option("--out", a.out, "directory for alerts.jsonl and result.json")
      ->capture_default_str();
  app.add_option("--backend", a.backend, "where the accounts live")
      ->check(CLI::IsMember({"auto", "cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--json", a.json, "also write result.json to this file; - for standard output");
  app.add_option("--seed", a.seed, "of the system's random numbers and seeded scheduler")
      ->capture_default_str();
  app.add_option("--rules", a.rules_file, "JSON file of thresholds");
  app.add_flag("--verify", a.verify, "run the single-thread oracle too and fail on any difference");
  app.add_flag("--quiet", a.quiet, "no summary, no progress");
}

perdure::backend backend_named(const std::string& name) {
  return name == "cpu"    ? perdure::backend::cpu
         : name == "cuda" ? perdure::backend::cuda
                          : perdure::backend::automatic;
}

double ms_since(clock::time_point from) {
  return std::chrono::duration<double, std::milli>(clock::now() - from).count();
}

/// A line on stderr, at most one a second and none in the first two.
class progress {
 public:
  explicit progress(bool quiet) : quiet_{quiet} {}
  void tick(std::uint64_t transactions, std::uint32_t accounts) {
    if (quiet_ || transactions % 4096 != 0 || clock::now() < next_) return;
    next_ = clock::now() + std::chrono::seconds{1};
    fmt::print(stderr, "txmon: {} transactions, {} accounts\n", transactions, accounts);
  }

 private:
  bool quiet_;
  clock::time_point next_ = clock::now() + std::chrono::seconds{2};
};

void write_files(const arguments& a, const run_report& r, const accounts& names) {
  const std::string summary = to_json(r).dump(2) + "\n";
  const std::filesystem::path out{a.out};
  output_file alerts{out / "alerts.jsonl"}, result{out / "result.json"};
  std::optional<output_file> copy;
  const bool same = std::filesystem::weakly_canonical(a.json) ==
                    std::filesystem::weakly_canonical(out / "result.json");
  if (!a.json.empty() && a.json != "-" && !same) copy.emplace(a.json);
  for (const auto& f : r.actors.alerts) alerts.write(to_line(f, names));
  result.write(summary);
  if (copy) copy->write(summary);
  for (auto* file : {&alerts, &result, copy ? &*copy : nullptr}) {
    if (file != nullptr) file->close();
  }
  alerts.commit();
  result.commit();
  if (copy) copy->commit();
  if (a.json == "-") fmt::print("{}", summary);
}

void run(const arguments& a) {
  const auto begin = clock::now();
  run_report r;
  r.input = a.input;
  r.seed = a.seed;
  if (!a.rules_file.empty()) r.limits = read_rules(a.rules_file);
  accounts names;
  paysim_reader reader{a.input, names};  // before the system: a wrong header is found at once

  monitor::settings settings;
  settings.system.backend = backend_named(a.backend);
  settings.system.seed = a.seed;
  settings.limits = r.limits;
  if (!a.quiet)
    settings.system.on_warning = [](const std::string& w) { fmt::print(stderr, "txmon: {}\n", w); };
  monitor actors{settings};
  r.start_ms = ms_since(begin);

  std::optional<oracle> expected;
  if (a.verify) expected.emplace(r.limits);
  std::vector<bool> fraud;
  progress shown{a.quiet};
  const auto streaming = clock::now();
  for (transaction t{}; reader.next(t); shown.tick(t.sequence, names.size())) {
    actors.take(t);
    if (expected) expected->take(t);
    fraud.push_back(t.fraud);
  }
  r.stream_ms = ms_since(streaming);
  const auto finishing = clock::now();
  r.actors = actors.finish(names.size());
  r.finish_ms = ms_since(finishing);
  r.transactions = fraud.size();
  r.labels = score(fraud, r.actors.alerts);
  r.figures = actors.figures();
  if (expected) {
    if (const auto difference = first_difference(r.actors, expected->finish())) {
      throw failure{"actors and oracle differ: " + *difference, exit_code::different};
    }
    r.verified = true;
  }
  r.total_ms = ms_since(begin);
  write_files(a, r, names);
  if (!a.quiet && a.json != "-") fmt::print("{}", to_text(r));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"txmon: watches a stream of transactions with one actor an account"};
  arguments a;
  declare(app, a);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : static_cast<int>(exit_code::usage);
  }
  try {
    run(a);
    return static_cast<int>(exit_code::done);
  } catch (const failure& e) {
    fmt::print(stderr, "txmon: error: {}\n", e.what());
    return static_cast<int>(e.code());
  } catch (const std::exception& e) {
    fmt::print(stderr, "txmon: error: {}\n", e.what());
    return static_cast<int>(exit_code::failed);
  }
}
