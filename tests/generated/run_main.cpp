// tests/generated/run_main.cpp - perdure-generated-run: every generated program on the backend asked for.
// Why: must-show 4: order-free programs agree with the CPU, order-dependent ones are replayed bit for bit.
// Exit code: 0 all agree, 1 some do not, 2 a run was not possible (such as no device).
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tests/generated/registry.hpp"
#include "tests/generated/scenario.hpp"

namespace {

using namespace perdure;
using namespace perdure::generated;
using nlohmann::ordered_json;

struct settings {
  std::string backend = "cpu", only, json;
  std::uint64_t seed = 1;
  std::uint32_t workers = 0, lanes = 0;
  bool quiet = false;
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
        if (!settings_.only.empty() && !slice.name.starts_with(settings_.only)) continue;
        if (!run_one(slice)) return false;
      }
    }
    return true;
  }

  void report() {
    json_["backend"] = settings_.backend;
    json_["seed"] = settings_.seed;
    json_["free"] = free_;
    json_["ordered"] = ordered_;
    json_["runs"] = runs_;
    json_["runs_with_wraps_spills_and_dead_letters"] = eventful_;
    json_["disagree"] = wrong_;
    fmt::print(
        "{} order-free and {} order-dependent programs, {} runs: {} with wraps, spills and dead letters; {} disagree\n",
        free_, ordered_, runs_, eventful_, wrong_);
  }
  const ordered_json& json() const { return json_; }
  /// Runs in which nothing was ever full or lost would show little: at least half must have been otherwise.
  bool all_agree() const { return wrong_ == 0 && runs_ != 0 && 2 * eventful_ >= runs_; }

 private:
  bool run_one(const program_slice& slice) {
    plan load;
    load.seed = settings_.seed;
    (slice.ordered() ? ordered_ : free_) += 1;
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
    ++wrong_;
    ++runs_;
    json_["results"].push_back(
        {{"program", slice.name}, {"on", way_name}, {"error", why.message()}});
    return !(may_be_missing &&
             (why.code() == errc::no_device || why.code() == errc::no_driver ||
              why.code() == errc::no_nvrtc || why.code() == errc::driver_too_old));
  }

  void note(const program_slice& slice, const way& w, const outcome& o, const std::string& diff,
            const std::optional<outcome>& oracle) {
    const stats& c = o.counters;
    ++runs_;
    eventful_ += c.wraps != 0 && c.spilled != 0 && c.dead_total() != 0 ? 1 : 0;
    const bool agrees = diff.empty() && (!oracle || oracle->hash == o.hash);
    wrong_ += agrees ? 0 : 1;
    if (!settings_.quiet || !agrees) {
      fmt::print(
          "{:<12} {:<36} {:016x} handled {:>6} dead {:>5} stopped {:>3} timers {:>5} wraps {:>5} spilled {:>5} {}\n",
          slice.name, w.name, o.hash, c.handled, c.dead_total(), c.stopped, c.timers_fired, c.wraps,
          c.spilled, agrees ? (slice.ordered() ? "replayed" : "agrees") : "DIFFERS");
    }
    if (!agrees) fmt::print("{}", diff);
    json_["results"].push_back({{"program", slice.name},
                                {"on", w.name},
                                {"device", o.layout.device},
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
  ordered_json json_ = {{"results", ordered_json::array()}};
  int free_ = 0, ordered_ = 0, runs_ = 0, eventful_ = 0, wrong_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  settings s;
  CLI::App app{"Runs the generated actor programs and checks their states.",
               "perdure-generated-run"};
  app.add_option("--backend", s.backend, "cpu: three schedules; cuda: the GPU")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--only", s.only, "programs whose name begins so: free, ordered, free3_, free3_0");
  app.add_option("--seed", s.seed, "of the load and of the systems");
  app.add_option("--workers", s.workers, "on the GPU; fewer make fuller rings (8)");
  app.add_option("--lanes", s.lanes, "on the GPU (64)");
  app.add_option("--json", s.json, "write every run's hash and counters to this file");
  app.add_flag("--quiet", s.quiet, "print what disagrees only");
  CLI11_PARSE(app, argc, argv);
  session all{s};
  const bool possible = all.run_all();
  all.report();
  if (!s.json.empty()) {
    std::ofstream out{s.json};
    out << all.json().dump(1) << '\n';
    if (!out.flush()) {
      fmt::print(stderr, "perdure-generated-run: cannot write {}\n", s.json);
      return 2;
    }
  }
  if (!possible) return 2;
  return all.all_agree() ? 0 : 1;
}
