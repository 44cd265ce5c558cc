// apps/wavesim3d/baseline/bench.cpp - steps a standing wave by actors and by hand, and compares time and field.
// Start: before the first tile is told to advance. End: the system is at rest, as the host has seen. By hand: events
// before the first launch and behind the last. Every field is compared with that of a loop on the CPU's cores, cell by
// cell; of grids too large for that, with a naive kernel's.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <perdure/result.hpp>
#include <string>
#include <vector>

#include "by_hand.hpp"
#include "common/failure.hpp"
#include "common/output_file.hpp"
#include "common/tell.hpp"
#include "common/validators.hpp"
#include "simulation.hpp"
#include "tile_states.hpp"
#include "tools/evidence/machine.hpp"

namespace {

using namespace wavesim3d;
using json = nlohmann::ordered_json;

struct arguments {
  std::string backend = "cuda", json_file, out;
  std::vector<int> sizes;
  int steps = 0, check_steps = 100, runs = 5;
  double memory_gib = 0;
  std::uint32_t workers = 0, cluster = 0;
  residence tiles = residence::as_they_fit;
  bool actors_only = false;
};

/// Of a run by hand: some tenth of a second.
int usual_steps(int n) {
  return n <= 64 ? 40'000 : n <= 128 ? 20'000 : n <= 160 ? 8'000 : n <= 256 ? 2'000 : 200;
}

scene standing_wave(int n, int steps) {
  scene s;
  s.name = fmt::format("standing wave, {}^3", n);
  s.cells = {n, n, n};
  s.courant = 0.5;
  s.steps = steps;
  s.mode = {3, 2, 1};
  return s;
}

/// The same by tiles that look cells' laws up: layers, four cells thick, of a material whose damping is too small for a float,
/// so that the field has the same bits.
/// @param axis, first  of the layers, and where the first one begins. A lane of a tile that passes by has four cells in x: of
/// layers in x that begin at 2 no lane's cells are alike.
scene with_material_index(scene s, std::size_t axis, int first) {
  s.materials.push_back({"the same", substance::fluid, s.materials[0].speed_m_s, 1e-7});
  for (int at = first; at + 4 <= s.cells[axis]; at += 8) {
    shape layer;
    layer.from = {0, 0, 0};
    layer.to = {s.cells[0] - 1, s.cells[1] - 1, s.cells[2] - 1};
    layer.from[axis] = at;
    layer.to[axis] = at + 3;
    s.bodies.push_back({1, layer});
  }
  return s;
}

baseline::fields fields_of(const scene& s) {
  const standing_mode mode{s};
  baseline::fields f;
  f.n = s.cells[0];
  f.courant2 = static_cast<float>(s.courant * s.courant);
  for (int z = 0; z < f.n; ++z) {
    for (int y = 0; y < f.n; ++y) {
      for (int x = 0; x < f.n; ++x) f.now.push_back(mode.at({x, y, z}));
    }
  }
  for (const float p : f.now) f.past.push_back(mode.past_ratio() * p);
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
    const double by = double{a[i]} - reference[i];
    off += by * by;
    all += double{reference[i]} * reference[i];
  }
  d.relative = std::sqrt(off / all);
  return d;
}

json figures(const scene& s, int steps, std::vector<double> took) {
  std::vector<double> rate;
  for (const double t : took) rate.push_back(static_cast<double>(s.cell_count()) * steps / t);
  std::sort(took.begin(), took.end());
  std::vector<double> sorted = rate;
  std::sort(sorted.begin(), sorted.end());
  const double median = sorted[sorted.size() / 2];
  return {{"cells_per_s", median},
          {"min", sorted.front()},
          {"max", sorted.back()},
          {"spread", (sorted.back() - sorted.front()) / median},
          {"us_a_step", took[took.size() / 2] / steps * 1e6},
          {"steps", steps},
          {"seconds", took},
          {"cells_per_s_samples", rate}};
}

/// How a field compares with the reference. @param bits  whether it must be equal to the bit.
json compared(const std::vector<float>& field, const std::vector<float>& reference, bool bits) {
  const auto d = between(field, reference);
  return {{"cells_that_differ", d.cells},
          {"relative_difference", d.relative},
          {"right", bits ? d.cells == 0 : d.relative <= 1e-5}};
}

json of_actors(const arguments& a, const scene& s, const perdure::options& opts,
               const std::vector<float>& reference) {
  json out;
  {  // the answer first
    simulation sim{s, opts, false, a.tiles};
    sim.advance(a.check_steps);
    out = compared(sim.field(), reference, true);
  }
  simulation sim{s, opts, false, a.tiles};
  sim.advance(2);
  // grids larger than the chip take many times as long a step; ten steps say little of a quick one, since to begin and to
  // come to rest takes a millisecond
  int steps = 10;
  for (const double some : {0.02, 0.5}) {
    const double a_step = seconds([&] { sim.advance(steps); }) / steps;
    steps = std::clamp(static_cast<int>(some / a_step), std::min(10, s.steps), s.steps) / 2 * 2;
  }
  std::vector<double> took;
  for (int r = 0; r < a.runs; ++r) took.push_back(seconds([&] { sim.advance(steps); }));
  out.update(figures(s, steps, took));
  const auto layout = sim.layout();
  out["device"] = layout.device;
  out["workers"] = layout.workers;
  out["lanes"] = layout.lanes;
  out["cluster"] = layout.cluster;
  out["tiles"] = sim.tiles();
  out["links"] = layout.links;
  out["links_on_chip"] = layout.links_on_chip;
  out["chip_bytes"] = layout.chip_bytes;
  out["held_bytes"] = layout.held_bytes;
  out["loop_registers"] = layout.registers;
  out["loop_stack_bytes"] = layout.stack_bytes;
  out["loop_spill_bytes"] = layout.loop_spill_bytes;
  out["cubin_hash"] = layout.cubin_hash;
  return out;
}

/// What of a size does not fit, or fails, is said in the place of its figures.
json or_why_not(const std::function<json()>& measure) {
  try {
    return measure();
  } catch (const apps::failure& e) {
    return {{"refused", e.what()}};
  }
}

using stepper = std::function<baseline::timed(int)>;

/// @param field  of a baseline, as it stands.
json of_hand(const arguments& a, const scene& s, const std::vector<float>* reference, bool bits,
             const stepper& step, const std::function<std::vector<float>()>& field) {
  step(a.check_steps);
  json out = reference == nullptr ? json::object() : compared(field(), *reference, bits);
  std::vector<double> took;
  baseline::timed last;
  for (int r = 0; r < a.runs; ++r) {
    last = step(s.steps);
    took.push_back(last.seconds);
  }
  out.update(figures(s, s.steps, took));
  out["registers"] = last.registers;
  out["local_bytes"] = last.local_bytes;
  return out;
}

/// A kernel a step, one for two, and resident ones where they fit, with and without a * b + c as one operation.
void kernels_by_hand(const arguments& a, const scene& s, const baseline::fields& start,
                     std::vector<float>& reference, json& report) {
  const int n = s.cells[0];
  baseline::step_shape shape;
  for (const bool contract : {false, true}) {
    baseline::device_kernels by_hand{start, contract};
    if (reference.empty()) {
      by_hand.graph(a.check_steps, {});
      reference = by_hand.fetch().now;
    }
    if (!contract) shape = by_hand.fastest(std::clamp(s.steps / 20, 2, 1'000));
    const std::string suffix = contract ? "_fma" : "";
    const auto add = [&](const std::string& name, const stepper& step) {
      by_hand.reset();
      report[name + suffix] =
          of_hand(a, s, &reference, !contract, step, [&] { return by_hand.fetch().now; });
    };
    add("graph", [&](int steps) { return by_hand.graph(steps, shape); });
    report["graph" + suffix]["shape"] = {{"block", {shape.x, shape.y, shape.z}},
                                         {"cells_of_a_thread", {shape.cells_x, 1, shape.cells_z}}};
    if (!contract) {
      add("graph_naive", [&](int steps) { return by_hand.graph(steps, {}); });
      add("launched", [&](int steps) { return by_hand.launched(steps, shape); });
    }
    if (n > 160) add("graph_of_two_steps", [&](int steps) { return by_hand.two_steps(steps); });
    if (n % 32 != 0 || n > 160) continue;
    const bool one_field = n > 128;
    const baseline::tile_shape tile = n == 64     ? baseline::tile_shape{32, 16, 4}
                                      : one_field ? baseline::tile_shape{32, 32, 32}
                                                  : baseline::tile_shape{};
    add("resident", [&](int steps) { return by_hand.resident(steps, tile, one_field); });
    report["resident" + suffix]["tile"] = {tile.x, tile.y, tile.z};
  }
}

/// Where the report of a size goes; empty: nowhere.
std::string place_of(const arguments& a, int n) {
  if (!a.json_file.empty() || a.out.empty()) return a.json_file;
  return fmt::format("{}/wave_{}{}.json", a.out, n, a.backend == "cpu" ? "_cpu" : "");
}

/// The figures of one size. @return whether all fields were right.
bool measure(const arguments& a, int n, const std::string& command) {
  perdure::options opts;
  opts.backend = a.backend == "cpu" ? perdure::backend::cpu : perdure::backend::cuda;
  opts.workers = a.workers;
  opts.cluster = a.cluster;
  opts.memory_bytes = static_cast<std::size_t>(a.memory_gib * (1U << 30U));
  const scene s = standing_wave(n, (a.steps != 0 ? a.steps : usual_steps(n)) / 2 * 2);
  const baseline::fields start = fields_of(s);
  json report{{"wavesim3d_bench", 2},
              {"commit", evidence::commit()},
              {"command", command},
              {"date", evidence::date()},
              {"host", evidence::host()},
              {"backend", a.backend},
              {"cells", n},
              {"runs", a.runs},
              {"check_steps", a.check_steps}};
  std::vector<float> reference;
  constexpr int most_on_cores = 256;
  if (n <= most_on_cores) {
    baseline::fields f = start;
    baseline::openmp(f, a.check_steps, 0);
    reference = f.now;
  }
  report["reference"] = reference.empty() ? "a naive kernel a step" : "openmp";
  if (a.backend == "cpu") {
    baseline::fields f = start;
    report["openmp"] = of_hand(
        a, s, &reference, true,
        [&](int steps) { return baseline::openmp(f, steps, static_cast<int>(a.workers)); },
        [&] { return f.now; });
  } else if (!a.actors_only) {
    kernels_by_hand(a, s, start, reference, report);
  } else if (reference.empty()) {
    baseline::device_kernels by_hand{start, false};
    by_hand.graph(a.check_steps, {});
    reference = by_hand.fetch().now;
  }
  report["actors"] = or_why_not([&] { return of_actors(a, s, opts, reference); });
  const auto with_layers = [&](const char* name, std::size_t axis, int first) {
    report[name] = or_why_not(
        [&] { return of_actors(a, with_material_index(s, axis, first), opts, reference); });
  };
  if (n <= most_on_cores) with_layers("actors_with_material_index", 2, 0);
  constexpr int most_that_stay = 160;
  if (n > most_that_stay && n <= most_on_cores && a.backend == "cuda") {
    with_layers("actors_with_mixed_levels", 2, 2);
    with_layers("actors_with_mixed_cells", 0, 2);
  }
  if (a.backend == "cuda") report["device"] = evidence::device(0);  // its clocks, behind the work
  bool right = true;
  fmt::print("{}^3 cells\n", n);
  const double ours = report["actors"].value("cells_per_s", 0.0);
  for (auto& [name, one] : report.items()) {
    if (!one.is_object()) continue;
    if (one.contains("refused"))
      fmt::print("  {:26} {}\n", name, one["refused"].get<std::string>());
    if (!one.contains("cells_per_s")) continue;
    if (one.contains("workers") && a.backend == "cuda")
      one["residency"] = evidence::residency(one["workers"], one["lanes"], report["device"]);
    const double rate = one["cells_per_s"];
    if (ours > 0) one["time_of_actors_over_this"] = rate / ours;
    const bool this_right = one.value("right", true);
    right = right && this_right;
    fmt::print("  {:26} {:9.2f} us a step  {:8.1f} Gcells/s  spread {:4.1f} %{}{}\n", name,
               one["us_a_step"].get<double>(), rate / 1e9, one["spread"].get<double>() * 100,
               ours > 0 ? fmt::format("  actors take {:.2f} times as long", rate / ours) : "",
               this_right ? "" : "  THE FIELD IS WRONG");
  }
  std::fflush(stdout);
  const std::string file = place_of(a, n);
  if (file.empty()) return right;
  apps::output_file written{file};
  written.write(report.dump(1) + "\n");
  written.commit();
  return right;
}

}  // namespace

int main(int argc, char** argv) {
  apps::hold_standard_files();
  CLI::App app{"wavesim3d-bench: actors beside the same physics by hand"};
  arguments a;
  app.add_option("--backend", a.backend)
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--size", a.sizes, "cells along each side; several of them with commas between")
      ->delimiter(',')
      ->check(CLI::Range(32, 1024));
  app.add_option("--steps", a.steps, "a run; some tenth of a second if it is left out")
      ->check(CLI::Range(2, 100'000'000));
  app.add_option("--check-steps", a.check_steps, "after which fields are compared; even")
      ->check(CLI::Range(2, 100'000))
      ->capture_default_str();
  app.add_option("--runs", a.runs)->check(CLI::Range(1, 1000))->capture_default_str();
  app.add_option("--workers", a.workers, "thread blocks or threads; 0: all there are")
      ->check(CLI::Range(0U, 4096U));
  app.add_option("--cluster", a.cluster);
  app.add_option("--memory-gib", a.memory_gib, "of the actors' states; 0: as the system chooses")
      ->check(CLI::Range(0.0, 1e6))
      ->check(apps::is_number);
  const std::map<std::string, residence> kinds{{"as-they-fit", residence::as_they_fit},
                                               {"stays", residence::stays},
                                               {"swapped", residence::swapped},
                                               {"small", residence::small},
                                               {"cube", residence::cube},
                                               {"swapped-cube", residence::swapped_cube},
                                               {"streamed", residence::streamed}};
  app.add_flag("--actors-only", a.actors_only, "no kernels by hand but the reference");
  std::string tiles = "as-they-fit";
  app.add_option("--tiles", tiles, "of the actors, in place of what fits best")
      ->check(CLI::IsMember(kinds))
      ->capture_default_str();
  auto* one = app.add_option("--json", a.json_file, "write the report of the one size to this file")
                  ->check(apps::is_path);
  app.add_option("--out", a.out, "write wave_SIZE.json of each size into this folder")
      ->check(apps::is_path)
      ->excludes(one);
  apps::take_decimals_only(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  a.tiles = kinds.at(tiles);
  std::string command;
  for (int i = 0; i < argc; ++i) command += (i == 0 ? "" : " ") + std::string{argv[i]};
  if (a.sizes.empty()) {
    a.sizes = a.backend == "cpu" ? std::vector{128} : std::vector{64, 128, 160, 256, 512};
  }
  a.check_steps = a.check_steps / 2 * 2;
  if (!a.json_file.empty() && a.sizes.size() != 1) {
    apps::tell("wavesim3d-bench: error: --json takes one --size; --out is for several");
    return 2;
  }
  try {
    bool right = true;
    for (const int n : a.sizes) {
      if (const auto place = place_of(a, n); !place.empty()) apps::expect_writable(place);
    }
    for (const int n : a.sizes) right = measure(a, n, command) && right;
    if (!right) apps::tell("wavesim3d-bench: error: a field is wrong");
    return right ? 0 : 1;
  } catch (const std::exception& e) {
    apps::tell("wavesim3d-bench: error: {}", e.what());
    return 1;
  }
}
