// tools/perdure/all.cpp - see all.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "all.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <deque>
#include <fstream>

#include "benches.hpp"
#include "child.hpp"
#include "report.hpp"

namespace bench {
namespace {

const char* name_of(perdure::backend b) {
  return b == perdure::backend::cpu ? "cpu" : b == perdure::backend::cuda ? "cuda" : "auto";
}

struct job {
  std::string name;
  std::vector<std::string> arguments;
  double limit_seconds;
};

std::vector<job> jobs_of(const bench_options& options, const all_options& all) {
  std::vector<job> jobs;
  for (const entry& one : benches()) {
    for (const variant& v : one.variants) {
      if (v.device_only && options.backend == perdure::backend::cpu) continue;
      job j;
      j.name = *v.suffix == '\0' ? one.name : fmt::format("{}_{}", one.name, v.suffix);
      const auto named = [&](const std::string& name) {
        return name == j.name || name == one.name;
      };
      if (!all.only.empty() && std::none_of(all.only.begin(), all.only.end(), named)) continue;
      const double seconds = one.lasts ? all.sustain_seconds : options.seconds;
      j.arguments = {"bench", one.name, "--backend", name_of(options.backend)};
      auto add = [&](const char* option, const std::string& value) {
        j.arguments.emplace_back(option);
        j.arguments.push_back(value);
      };
      add("--workers", std::to_string(options.workers));
      add("--lanes-each", std::to_string(options.lanes_each));
      if (!one.lasts) add("--runs", std::to_string(options.runs));
      add("--seconds", fmt::format("{}", seconds));
      if (!options.cache.empty()) add("--cache", options.cache.string());
      if (one.scaled) add("--scale", fmt::format("{}", all.savina_scale));
      if (!options.baselines) j.arguments.emplace_back("--no-baselines");
      j.arguments.insert(j.arguments.end(), v.arguments.begin(), v.arguments.end());
      j.limit_seconds = all.limit_seconds + 10 * options.runs * options.seconds + 4 * seconds;
      jobs.push_back(std::move(j));
    }
  }
  return jobs;
}

/// @throws perdure::bad_result naming the option, the word, and what there is.
void check_names(const std::vector<std::string>& only) {
  std::vector<std::string> known;
  for (const entry& one : benches()) {
    known.emplace_back(one.name);
    for (const variant& v : one.variants) {
      if (*v.suffix != '\0') known.push_back(fmt::format("{}_{}", one.name, v.suffix));
    }
  }
  for (const std::string& name : only) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    throw perdure::bad_result{
        perdure::error{perdure::errc::bad_option,
                       fmt::format("--only {}: there are {}", name, fmt::join(known, ", "))}};
  }
}

std::string last_lines(const std::filesystem::path& log, std::size_t count) {
  std::ifstream in{log};
  std::deque<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    lines.push_back(line);
    if (lines.size() > count) lines.pop_front();
  }
  std::string text;
  for (const std::string& line : lines) text += "    " + line + "\n";
  return text;
}

}  // namespace

int run_all(const bench_options& options, const all_options& all) {
  check_names(all.only);
  nlohmann::json report = begin_report("all", options);
  report["config"]["savina_scale"] = all.savina_scale;
  report["config"]["sustain_seconds"] = all.sustain_seconds;
  std::filesystem::path out = all.out;
  if (out.empty()) out = "bench-" + report.at("date").get<std::string>().substr(0, 10);
  std::error_code error;
  std::filesystem::create_directories(out, error);
  if (error) throw std::runtime_error{fmt::format("--out {}: {}", out.string(), error.message())};
  probe_json(out / "all.json");
  const std::vector<job> jobs = jobs_of(options, all);
  nlohmann::json list = nlohmann::json::array();
  int failed = 0;
  double seconds = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const job& j = jobs[i];
    fmt::print("[{}/{}] {} ... ", i + 1, jobs.size(), j.name);
    std::fflush(stdout);
    const auto file = out / (j.name + ".json"), log = out / (j.name + ".log");
    std::filesystem::remove(file, error);  // an old one must not stand for a failure
    std::vector<std::string> arguments = j.arguments;
    arguments.insert(arguments.end(), {"--json", file.string()});
    const child_outcome ended = run_self(arguments, log, j.limit_seconds);
    seconds += ended.seconds;
    const bool well = ended.code == 0 && !ended.late;
    if (well) {
      fmt::print("ok, {:.1f} s\n", ended.seconds);
    } else {
      ++failed;
      fmt::print("FAILED ({}), {:.1f} s; the end of its output:\n{}",
                 ended.late ? std::string{"out of time"} : fmt::format("exit {}", ended.code),
                 ended.seconds, last_lines(log, 8));
    }
    list.push_back({{"name", j.name},
                    {"arguments", arguments},
                    {"code", ended.code},
                    {"late", ended.late},
                    {"seconds", ended.seconds},
                    {"failed", !well},
                    {"end_of_output", well ? std::string{} : last_lines(log, 8)}});
  }
  report["benchmarks"] = std::move(list);
  report["failed"] = failed;
  report["seconds"] = seconds;
  write_json(out / "all.json", report);
  fmt::print(
      "{} of {} benchmarks ran well in {:.0f} s, Savina's at {} times its size; reports in {}\n",
      jobs.size() - failed, jobs.size(), seconds, all.savina_scale, out.string());
  return failed;
}

}  // namespace bench
