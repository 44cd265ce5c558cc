// apps/wavesim3d/baseline/bench.cpp - steps a standing wave by actors and by hand, and compares time and field.
// Start: before the first tile is told to advance. End: the system is at rest, as the host has seen. By hand: events
// before the first launch and behind the last. Every field is compared with the launched kernel's, cell by cell.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <perdure/result.hpp>

#include "by_hand.hpp"
#include "common/failure.hpp"
#include "common/output_file.hpp"
#include "simulation.hpp"
#include "tools/evidence/machine.hpp"

namespace {

using namespace wavesim3d;
using json = nlohmann::ordered_json;

struct arguments {
  std::string backend = "cuda", json_file;
  int size = 128, steps = 20'000, check_steps = 100, runs = 5;
  std::uint32_t workers = 0, cluster = 0;
};

scene standing_wave(int n, int steps) {
  scene s;
  s.name = fmt::format("standing wave, {}^3", n);
  s.cells = {n, n, n};
  s.courant = 0.5;
  s.steps = steps;
  s.mode = {3, 2, 1};
  return s;
}

baseline::fields fields_of(const scene& s, const perdure::options& opts) {
  simulation sim{s, opts};
  baseline::fields f;
  f.n = s.cells[0];
  f.courant2 = static_cast<float>(s.courant * s.courant);
  f.now = sim.field();
  const float ratio = sim.past_ratio();
  for (const float p : f.now) f.past.push_back(ratio * p);
  return f;
}

double seconds(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

struct difference {
  std::size_t cells = 0;
  double relative = 0;  ///< root of the sum of squares over that of the reference
};
difference between(const std::vector<float>& a, const std::vector<float>& reference) {
  difference d;
  double off = 0, all = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    d.cells += std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(reference[i]);
    off += std::pow(double{a[i]} - reference[i], 2);
    all += std::pow(double{reference[i]}, 2);
  }
  d.relative = std::sqrt(off / all);
  return d;
}

json figures(const scene& s, std::vector<double> took) {
  std::vector<double> rate;
  for (const double t : took) rate.push_back(static_cast<double>(s.cell_count()) * s.steps / t);
  std::sort(took.begin(), took.end());
  std::vector<double> sorted = rate;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[sorted.size() / 2];
  return {{"cells_per_s", median},
          {"min", sorted.front()},
          {"max", sorted.back()},
          {"spread", (sorted.back() - sorted.front()) / median},
          {"us_a_step", took[took.size() / 2] / s.steps * 1e6},
          {"seconds", took},
          {"cells_per_s_samples", rate}};
}

json of_actors(const arguments& a, const scene& s, const perdure::options& opts,
               const std::vector<float>& reference) {
  std::vector<double> took;
  json out;
  {  // the answer first
    simulation sim{standing_wave(a.size, a.check_steps), opts};
    sim.advance(a.check_steps);
    const auto d = between(sim.field(), reference);
    out["cells_that_differ"] = d.cells;
    out["relative_difference"] = d.relative;
    if (d.cells != 0) throw apps::failure{fmt::format("actors: {} cells differ", d.cells)};
  }
  simulation sim{s, opts};
  sim.advance(16);
  for (int r = 0; r < a.runs; ++r) took.push_back(seconds([&] { sim.advance(s.steps); }));
  out.update(figures(s, took));
  const auto layout = sim.layout();
  out["device"] = layout.device;
  out["workers"] = layout.workers;
  out["lanes"] = layout.lanes;
  out["cluster"] = layout.cluster;
  out["tiles"] = sim.tiles();
  out["links"] = layout.links;
  out["links_on_chip"] = layout.links_on_chip;
  out["chip_bytes"] = layout.chip_bytes;
  out["loop_registers"] = layout.registers;
  out["loop_stack_bytes"] = layout.stack_bytes;
  out["loop_spill_bytes"] = layout.loop_spill_bytes;
  out["cubin_hash"] = layout.cubin_hash;
  return out;
}

json of_hand(const arguments& a, const scene& s, const baseline::fields& start,
             const std::vector<float>* reference, const char* name,
             const std::function<baseline::timed(baseline::fields&, int)>& step) {
  baseline::fields f = start;
  json out;
  step(f, a.check_steps);
  if (reference != nullptr) {
    const auto d = between(f.now, *reference);
    out["cells_that_differ"] = d.cells;
    out["relative_difference"] = d.relative;
    if (d.relative > 1e-5) throw apps::failure{fmt::format("{}: off by {}", name, d.relative)};
  }
  std::vector<double> took;
  baseline::timed last;
  for (int r = 0; r < a.runs; ++r) {
    last = step(f, s.steps);
    took.push_back(last.seconds);
  }
  out.update(figures(s, took));
  out["registers"] = last.registers;
  out["local_bytes"] = last.local_bytes;
  return out;
}

void run(const arguments& a, const std::string& command) {
  perdure::options opts;
  opts.backend = a.backend == "cpu" ? perdure::backend::cpu : perdure::backend::cuda;
  opts.workers = a.workers;
  opts.cluster = a.cluster;
  const scene s = standing_wave(a.size, a.steps);
  const baseline::fields start = fields_of(s, opts);
  json report{{"wavesim3d_bench", 1},
              {"commit", evidence::commit()},
              {"command", command},
              {"date", evidence::date()},
              {"host", evidence::host()},
              {"cells", a.size},
              {"steps", a.steps},
              {"runs", a.runs},
              {"check_steps", a.check_steps}};
  baseline::fields reference = start;
  if (a.backend == "cpu") {
    baseline::openmp(reference, a.check_steps, 0);
    report["openmp"] = of_hand(a, s, start, nullptr, "openmp", [&](auto& f, int steps) {
      return baseline::openmp(f, steps, static_cast<int>(a.workers));
    });
  } else {
    baseline::graph(reference, a.check_steps, false);
    for (const bool contract : {false, true}) {
      const std::string suffix = contract ? "_fma" : "";
      report["graph" + suffix] =
          of_hand(a, s, start, &reference.now, "graph",
                  [&](auto& f, int steps) { return baseline::graph(f, steps, contract); });
      if (a.size % 32 != 0 || a.size > 128) continue;
      const baseline::tile_shape tile =
          a.size == 64 ? baseline::tile_shape{32, 16, 4} : baseline::tile_shape{};
      report["resident" + suffix] =
          of_hand(a, s, start, &reference.now, "resident",
                  [&](auto& f, int steps) { return baseline::resident(f, steps, contract, tile); });
    }
  }
  report["actors"] = of_actors(a, s, opts, reference.now);
  if (a.backend == "cuda") {
    report["device"] = evidence::device(0);  // with its clocks, right behind the work
    report["actors"]["residency"] = evidence::residency(
        report["actors"]["workers"], report["actors"]["lanes"], report["device"]);
  }
  const double ours = report["actors"]["cells_per_s"];
  for (auto& [name, one] : report.items()) {
    if (!one.is_object() || !one.contains("cells_per_s")) continue;
    const double rate = one["cells_per_s"];
    one["time_of_actors_over_this"] = rate / ours;
    fmt::print(
        "{:14} {:8.2f} us a step  {:9.4g} cells/s  spread {:.1f} %  actors take {:.2f} times as long\n",
        name, one["us_a_step"].get<double>(), rate, one["spread"].get<double>() * 100, rate / ours);
  }
  if (a.json_file.empty()) return;
  apps::output_file file{a.json_file};
  file.write(report.dump(1) + "\n");
  file.commit();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{"wavesim3d-bench: actors beside the same physics by hand"};
  arguments a;
  app.add_option("--backend", a.backend)
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--size", a.size, "cells along each side")
      ->check(CLI::Range(32, 1024))
      ->capture_default_str();
  app.add_option("--steps", a.steps, "a run")
      ->check(CLI::Range(1, 100'000'000))
      ->capture_default_str();
  app.add_option("--check-steps", a.check_steps, "after which fields are compared")
      ->capture_default_str();
  app.add_option("--runs", a.runs)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--workers", a.workers);
  app.add_option("--cluster", a.cluster);
  app.add_option("--json", a.json_file, "write the report to this file");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  std::string command;
  for (int i = 0; i < argc; ++i) command += (i == 0 ? "" : " ") + std::string{argv[i]};
  try {
    run(a, command);
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "wavesim3d-bench: error: {}\n", e.what());
    return 1;
  }
}
