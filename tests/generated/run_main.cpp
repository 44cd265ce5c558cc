// tests/generated/run_main.cpp - perdure-generated-run: every generated program on the backend asked for.
// Why: must-show 4: order-free programs agree with the CPU, order-dependent ones are replayed bit for bit.
// Several headers: one process each, a few at a time, joined into one report; one header: in this process.
// Exit code: 0 all agree, 1 some do not or a process failed, 2 no run was possible (such as no device).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/generated/processes.hpp"
#include "tests/generated/registry.hpp"
#include "tests/generated/report.hpp"
#include "tests/generated/scenario.hpp"

namespace {

using namespace perdure;
using namespace perdure::generated;

struct settings {
  std::string backend = "cpu", header, json;
  std::vector<std::string> only;
  std::uint64_t seed = 1;
  std::uint32_t workers = 0, lanes = 0, jobs = 0;
  bool quiet = false;

  bool selects(const program& p, const program_slice& slice) const {
    return (header.empty() || header == p.name) &&
           (only.empty() || std::ranges::any_of(only, [&](const std::string& prefix) {
              return slice.name.starts_with(prefix);
            }));
  }
};

/// A backend to run on, beside the seeded CPU run that everything is compared with.
struct way {
  std::string name;
  options opts;
};

options on_cpu(std::uint64_t seed, schedule order, std::uint32_t workers, std::uint32_t lanes) {
  options o = small_rings(seed);
  o.backend = backend::cpu;
  o.schedule = order;
  o.workers = workers;
  o.lanes = lanes;
  return o;
}

std::vector<way> ways_of(const settings& s) {
  if (s.backend == "cuda") {
    way w{"cuda", small_rings(s.seed)};
    w.opts.backend = backend::cuda;
    w.opts.workers = s.workers != 0 ? s.workers : 8;
    w.opts.lanes = s.lanes != 0 ? s.lanes : 64;
    return {w};
  }
  return {{"cpu, seeded, 5 workers of 4 lanes", on_cpu(s.seed, schedule::seeded, 5, 4)},
          {"cpu, seeded, 2 workers of 32 lanes", on_cpu(s.seed, schedule::seeded, 2, 32)},
          {"cpu, parallel, 3 workers of 8 lanes", on_cpu(s.seed, schedule::parallel, 3, 8)}};
}

class session {
 public:
  explicit session(const settings& s) : settings_{s}, ways_{ways_of(s)} {}

  /// @return false if a system could not be started at all.
  bool run_all() {
    for (const program* p : registry()) {
      for (const program_slice& slice : slices_of(*p)) {
        if (settings_.selects(*p, slice) && !run_one(slice)) return false;
      }
    }
    return true;
  }

  const ordered_json& results() const { return results_; }

 private:
  bool run_one(const program_slice& slice) {
    plan load;
    load.seed = settings_.seed;
    std::optional<outcome> oracle;
    if (!slice.ordered()) {
      auto first = run(slice, on_cpu(settings_.seed, schedule::seeded, 3, 8), load);
      if (!first) return failed(slice, "cpu, seeded, 3 workers of 8 lanes", first.error(), false);
      oracle = std::move(*first);
    }
    for (const way& w : ways_) {
      auto done = run(slice, w.opts, load);
      if (!done && !failed(slice, w.name, done.error(), w.opts.backend == backend::cuda))
        return false;
      if (!done) continue;
      const std::string diff =
          slice.ordered() ? replay(slice, *done, settings_.seed) : compare(slice, *oracle, *done);
      note(slice, w, *done, diff, oracle);
    }
    return true;
  }

  bool failed(const program_slice& slice, const std::string& way_name, const error& why,
              bool may_be_missing) {
    fmt::print(stderr, "{} on {}: {}\n", slice.name, way_name, why.message());
    results_.push_back({{"program", slice.name}, {"on", way_name}, {"error", why.message()}});
    return !(may_be_missing &&
             (why.code() == errc::no_device || why.code() == errc::no_driver ||
              why.code() == errc::no_nvrtc || why.code() == errc::driver_too_old));
  }

  void note(const program_slice& slice, const way& w, const outcome& o, const std::string& diff,
            const std::optional<outcome>& oracle) {
    const stats& c = o.counters;
    const bool agrees = diff.empty() && (!oracle || oracle->hash == o.hash);
    if (!settings_.quiet || !agrees) {
      fmt::print(
          "{:<12} {:<36} {:016x} handled {:>6} dead {:>5} stopped {:>3} timers {:>5} wraps {:>5} spilled {:>5} {}\n",
          slice.name, w.name, o.hash, c.handled, c.dead_total(), c.stopped, c.timers_fired, c.wraps,
          c.spilled, agrees ? (slice.ordered() ? "replayed" : "agrees") : "DIFFERS");
    }
    if (!agrees) fmt::print("{}", diff);
    results_.push_back(
        {{"program", slice.name},
         {"on", w.name},
         {"device", o.layout.device},
         {"cubin_hash",
          o.layout.cubin_hash.empty() ? ordered_json(nullptr) : ordered_json(o.layout.cubin_hash)},
         {"actors", o.actors.size()},
         {"hash", fmt::format("{:016x}", o.hash)},
         {"agrees", agrees},
         {"sent", c.sent},
         {"handled", c.handled},
         {"dead", c.dead_total()},
         {"stopped", c.stopped},
         {"failed", c.failed},
         {"timers", c.timers_fired},
         {"wraps", c.wraps},
         {"spilled", c.spilled}});
  }

  const settings& settings_;
  std::vector<way> ways_;
  ordered_json results_ = ordered_json::array();
};

verdict run_here(const settings& s, ordered_json& report) {
  session all{s};
  const bool possible = all.run_all();
  const ordered_json totals = totals_of(all.results());
  fmt::print("{}", sentence(totals));
  report["totals"] = totals;
  report["results"] = all.results();
  return possible ? verdict_of(totals) : verdict::not_possible;
}

/// A folder of its own for the reports of the processes, gone afterwards.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "perdure-generated-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error{name + ": cannot be made"};
    path_ = name;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string file_of(const std::string& header) const { return path_ / (header + ".json"); }

 private:
  std::filesystem::path path_;
};

/// The arguments of the process that runs this header only.
std::vector<std::string> arguments_for(const settings& s, const std::string& header,
                                       const std::string& json) {
  std::vector<std::string> words{"--header",  header,
                                 "--backend", s.backend,
                                 "--seed",    std::to_string(s.seed),
                                 "--workers", std::to_string(s.workers),
                                 "--lanes",   std::to_string(s.lanes),
                                 "--json",    json};
  for (const std::string& prefix : s.only) words.insert(words.end(), {"--only", prefix});
  if (s.quiet) words.emplace_back("--quiet");
  return words;
}

verdict run_processes_of(const settings& s, const std::vector<std::string>& headers,
                         ordered_json& report) {
  const scratch_folder scratch;
  std::vector<std::vector<std::string>> lists;
  for (const std::string& h : headers) lists.push_back(arguments_for(s, h, scratch.file_of(h)));
  const unsigned jobs =
      s.jobs != 0 ? s.jobs : std::max(3U, std::thread::hardware_concurrency()) - 2;
  std::vector<int> codes(headers.size());
  run_processes(std::filesystem::read_symlink("/proc/self/exe"), lists, jobs,
                [&](std::size_t which, int code, const std::string& text) {
                  codes[which] = code;
                  fmt::print("{}: exit code {}\n{}", headers[which], code, text);
                  std::fflush(stdout);
                });
  joined_report joined;
  for (std::size_t i = 0; i < headers.size(); ++i) {
    std::ifstream in{scratch.file_of(headers[i])};
    joined.add(headers[i], codes[i], ordered_json::parse(in, nullptr, false));
  }
  joined.write(report);
  report["jobs"] = jobs;
  fmt::print("{} headers, {} at a time: {}", headers.size(), jobs, sentence(joined.totals()));
  for (const ordered_json& f : report.at("failed_processes")) fmt::print("FAILED: {}\n", f.dump());
  return joined.exit_code();
}

std::vector<std::string> headers_of(const settings& s) {
  std::vector<std::string> names;
  for (const program* p : registry()) {
    const auto slices = slices_of(*p);
    if (std::ranges::any_of(slices, [&](const auto& slice) { return s.selects(*p, slice); }))
      names.emplace_back(p->name);
  }
  return names;
}

}  // namespace

int main(int argc, char** argv) try {
  settings s;
  CLI::App app{"Runs the generated actor programs and checks their states.",
               "perdure-generated-run"};
  app.add_option("--backend", s.backend, "cpu: three schedules; cuda: the GPU")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--only", s.only,
                 "programs whose name begins so: free, ordered, free3_, free3_0; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--header", s.header, "programs of this header, such as free_3");
  app.add_option("--seed", s.seed, "of the load and of the systems");
  app.add_option("--workers", s.workers, "on the GPU; fewer make fuller rings (8)");
  app.add_option("--lanes", s.lanes, "on the GPU (64)");
  app.add_option("--jobs", s.jobs, "processes at a time, one a header; 0: two less than cores")
      ->check(CLI::Range(0U, 4096U));
  app.add_option("--json", s.json, "write totals and every run's hash and counters to this file");
  app.add_flag("--quiet", s.quiet, "print what disagrees only");
  CLI11_PARSE(app, argc, argv);
  ordered_json report;
  report["command"] = std::vector<std::string>(argv, argv + argc);
  report["backend"] = s.backend;
  report["seed"] = s.seed;
  const auto headers = headers_of(s);
  const verdict found =
      headers.size() > 1 ? run_processes_of(s, headers, report) : run_here(s, report);
  if (!s.json.empty()) {
    std::ofstream out{s.json};
    out << report.dump(1) << '\n';
    if (!out.flush()) {
      fmt::print(stderr, "perdure-generated-run: cannot write {}\n", s.json);
      return static_cast<int>(verdict::some_do_not);
    }
  }
  return static_cast<int>(found);
} catch (const std::exception& e) {
  fmt::print(stderr, "perdure-generated-run: {}\n", e.what());
  return static_cast<int>(verdict::some_do_not);
}
