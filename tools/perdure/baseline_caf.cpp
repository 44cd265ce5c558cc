// tools/perdure/baseline_caf.cpp - runs perdure-bench-caf once a thread count and keeps the best of
// each program.
// Why: Debian's CAF is another library with threads of its own; beside a resident loop's host
// threads it would suffer.
// SPDX-License-Identifier: Apache-2.0
#include "baseline_caf.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "child.hpp"
#include "samples.hpp"

namespace bench {
namespace {

/// As many threads as our workers at most, where those are threads, too.
std::vector<std::uint32_t> thread_counts(const bench_options& options,
                                         const savina_options& savina) {
  if (!savina.caf_threads.empty()) return savina.caf_threads;
  std::vector<std::uint32_t> counts;
  const bool same = options.backend == perdure::backend::cpu && options.workers != 0;
  const std::uint32_t all =
      same ? options.workers : std::max(1U, std::thread::hardware_concurrency());  // by taskset
  for (std::uint32_t n = 1; n < all; n *= 2) counts.push_back(n);
  counts.push_back(all);
  return counts;
}

std::string beside_us() {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return (self.parent_path() / "perdure-bench-caf").string();
}

double median_of(const nlohmann::json& entry) {
  return entry.at("messages_per_s").at("median").get<double>();
}

}  // namespace

nlohmann::json caf_main_figure(const std::string& program) {
  // /work/shared/hardware.md: 16 threads of a 16-vCPU x86 host, measured 2026-11-21
  if (program == "ping_pong") return 3.0e6;
  if (program == "count") return 1.8e6;
  if (program == "big") return 3.9e6;
  return nullptr;
}

nlohmann::json caf_baselines(const bench_options& options, const savina_options& savina,
                             const std::vector<std::string>& programs) {
  if (!options.baselines) return {{"skipped", "--no-baselines was given"}};
  const std::string program = savina.caf.empty() ? beside_us() : savina.caf;
  if (::access(program.c_str(), X_OK) != 0)
    return {{"skipped", program + " is not there: it is built where libcaf-dev is installed"}};
  nlohmann::json all;
  for (const std::uint32_t threads : thread_counts(options, savina)) {
    std::vector<std::string> command{program,
                                     "--threads",
                                     std::to_string(threads),
                                     "--runs",
                                     std::to_string(options.runs),
                                     "--scale",
                                     fmt::format("{}", savina.scale),
                                     "--pairs",
                                     std::to_string(savina.pairs),
                                     "--members",
                                     std::to_string(savina.members)};
    if (savina.burst) command.insert(command.end(), {"--burst", std::to_string(*savina.burst)});
    if (savina.window) command.insert(command.end(), {"--window", std::to_string(*savina.window)});
    command.emplace_back("--programs");
    command.insert(command.end(), programs.begin(), programs.end());
    const child_outcome ran = run_program(command, savina.caf_timeout_s);
    if (ran.late || ran.code != 0) {
      const std::string why = ran.late
                                  ? fmt::format("did not end in {} s", savina.caf_timeout_s)
                                  : fmt::format("ended with code {}; its error is above", ran.code);
      if (ran.code == 2) throw wrong_answer{fmt::format("{} got a wrong answer", program)};
      return {{"skipped", fmt::format("{} with {} threads {}", program, threads, why)}};
    }
    for (const auto& one : nlohmann::json::parse(ran.printed)) {
      nlohmann::json entry = one;
      std::vector<double> rate;
      for (const double s : one.at("seconds").get<std::vector<double>>())
        rate.push_back(one.at("messages").get<double>() / s);
      entry["messages_per_s"] = summary(rate);
      nlohmann::json& of = all[one.at("name").get<std::string>()];
      if (!of.contains("best") || median_of(of.at("best")) < median_of(entry)) of["best"] = entry;
      of["tried"].push_back(std::move(entry));
    }
  }
  return all;
}

}  // namespace bench
