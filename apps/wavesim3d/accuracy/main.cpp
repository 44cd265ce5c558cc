// apps/wavesim3d/accuracy/main.cpp - wavesim3d-accuracy: runs the experiments and leaves a page of plots and figures.
// Invariant: each file appears whole or not at all; exit code 3 if a figure is not what the page demands of it.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "chart.hpp"
#include "common/failure.hpp"
#include "common/output_file.hpp"
#include "common/tell.hpp"
#include "common/validators.hpp"
#include "experiments.hpp"
#include "picture.hpp"
#include "simulation.hpp"

namespace {

using namespace wavesim3d;
using namespace wavesim3d::accuracy;
using json = nlohmann::ordered_json;

struct arguments {
  std::string out = "out/accuracy", backend = "cpu";
  int size = 64, steps = 1'000, energy_steps = 10'000;
  bool quiet = false;
};

/// The page as it grows: a heading, a line with the figure, a picture.
class page {
 public:
  explicit page(const arguments& a) : to_{a.out}, quiet_{a.quiet} {}
  std::filesystem::path file(const std::string& name) const { return to_ / name; }
  /// @param good  whether the figure is what it has to be.
  /// @param table  what else belongs to it, as Markdown.
  void add(const std::string& heading, const std::string& figure, bool good,
           const std::string& picture, const std::string& table = "") {
    text_ += fmt::format("\n## {}\n{} **{}**\n{}\n![{}]({})\n", heading, figure,
                         good ? "holds" : "does not hold", table, heading, picture);
    if (!quiet_) fmt::print("{}: {} {}\n", heading, figure, good ? "holds" : "DOES NOT HOLD");
    good_ = good_ && good;
  }
  void draw(const std::string& name, const chart& c) const { draw_chart(file(name), c); }
  bool good() const { return good_; }
  json figures;

  void save(const std::string& command) {
    const auto write = [&](const char* name, const std::string& text) {
      apps::output_file f{file(name)};
      f.write(text);
      f.commit();
    };
    write("README.md", fmt::format("# wavesim3d: how right the field is\nMade by `{}`; the figures "
                                   "are in [accuracy.json](accuracy.json).\n{}",
                                   command, text_));
    write("accuracy.json", figures.dump(1) + "\n");
  }

 private:
  std::filesystem::path to_;
  std::string text_;
  bool quiet_, good_ = true;
};

series of(const std::string& name, const std::vector<point>& points, bool dots = false) {
  series s{name, {}, {}, dots};
  for (const point& p : points) {
    s.x.push_back(p.at);
    s.y.push_back(p.value);
  }
  return s;
}
json listed(const std::vector<point>& points) {
  json out = json::array();
  for (const point& p : points) out.push_back({p.at, p.value});
  return out;
}

void rounding_of_floats(page& to, const arguments& a, const perdure::options& opts) {
  const auto r = against_double(a.size, a.steps, std::max(1, a.steps / 20), opts);
  to.figures["fp32_against_double"] = {
      {"cells", a.size}, {"error", listed(r.error)}, {"border_ratio", r.border_ratio}};
  to.draw("rounding.png", {fmt::format("fp32 against double, {}^3", a.size),
                           "steps",
                           "relative error",
                           {of("error", r.error)}});
  const point most = *std::ranges::max_element(r.error, {}, &point::value);
  to.add(fmt::format("Rounding: {}^3 cells against double precision", a.size),
         fmt::format(
             "After {} steps the relative distance is {:.2g} (at most 1e-5). The largest of {} "
             "samples on the way is {:.2g}, at step {} (no bound is set on it).",
             a.steps, r.error.back().value, r.error.size(), most.value, most.at),
         r.error.back().value <= 1e-5, "rounding.png");
  const scene s = busy_cube(a.size);
  const slice_spec middle{2, a.size / 2};
  write_slice(to.file("difference.png"), s, world{s}, middle,
              cut_out(s, 2, a.size / 2, r.difference), a.steps);
  to.add(
      "No trace of the tiles in the difference",
      fmt::format(
          "Root mean square of fp32 - double beside the borders of tiles over that elsewhere: {:.3f} (0.9 to 1.1). "
          "The picture is the difference in the middle plane; tiles have 32 x 32 x 16 cells.",
          r.border_ratio),
      std::abs(r.border_ratio - 1) <= 0.1, "difference.png");
}

void orders(page& to, const perdure::options& opts) {
  std::vector<point> space, time;
  for (const int n : {15, 31, 63, 127}) space.push_back({n + 1.0, mode_error(n, 0.5, false, opts)});
  for (const double c : {0.5, 0.25, 0.125}) time.push_back({1 / c, mode_error(63, c, true, opts)});
  const double in_space = slope(space.front(), space.back()),
               in_time = slope(time.front(), time.back());
  to.figures["order"] = {{"space", listed(space)},
                         {"slope_in_space", in_space},
                         {"time", listed(time)},
                         {"slope_in_time", in_time}};
  to.draw("order_space.png", {"mode (1,1,1) of the box",
                              "cells along the box",
                              "relative error",
                              {of("error", space, true), of("", space)},
                              true});
  to.add(
      "Order in space",
      fmt::format("Slope {:.3f} (2 +- 0.1), the time step in proportion to the spacing.", in_space),
      std::abs(in_space - 2) <= 0.1, "order_space.png");
  to.draw("order_time.png", {"mode (1,1,1) of the grid of 63^3",
                             "1 / Courant number",
                             "relative error",
                             {of("error", time, true), of("", time)},
                             true});
  to.add("Order in time",
         fmt::format("Slope {:.3f} (2 +- 0.1), at one spacing, against the mode of the grid.",
                     in_time),
         std::abs(in_time - 2) <= 0.1, "order_time.png");
}

void drift(page& to, const arguments& a, const perdure::options& opts) {
  const auto points = energy_drift(a.size, a.energy_steps, std::max(1, a.energy_steps / 100), opts);
  double most = 0;
  for (const point& p : points) most = std::max(most, std::abs(p.value));
  to.figures["energy_drift"] = {{"cells", a.size}, {"drift", listed(points)}};
  to.draw("energy.png", {fmt::format("energy of the scheme, {}^3, no damping", a.size),
                         "steps",
                         "E / E(1) - 1",
                         {of("drift", points)}});
  to.add("Energy",
         fmt::format("Over {} steps it leaves its first value by at most {:.2g} (1e-5).",
                     a.energy_steps, most),
         most <= 1e-5, "energy.png");
}

void arrivals(page& to, const perdure::options& opts) {
  std::vector<series> lines(3);
  const char* names[] = {"axis", "face diagonal", "body diagonal"};
  std::string table =
      "\nLag in cells, late above 0, after 40 cells:\n\n| cells a wavelength | axis | face diagonal | body diagonal |\n|---|---|---|---|\n";
  double most = 0, most_below = 0;
  for (const int cells : {8, 10, 12, 16, 20, 24}) {
    const auto lag = arrival_lag(cells, opts);
    table += fmt::format("| {} | {:.2f} | {:.2f} | {:.2f} |\n", cells, lag[0], lag[1], lag[2]);
    for (std::size_t i = 0; i < 3; ++i) {
      lines[i].name = names[i];
      lines[i].x.push_back(cells);
      lines[i].y.push_back(lag[i]);
      double& worst = cells >= 16 ? most : most_below;
      worst = std::max(worst, std::abs(lag[i]));
    }
  }
  table +=
      "\nThe lag grows with the distance; at 16 cells a wavelength:\n\n"
      "| cells travelled | axis | face diagonal | body diagonal |\n|---|---|---|---|\n";
  json farther = json::array();
  for (const int distance : {20, 40, 60, 80, 120}) {
    const auto lag = arrival_lag(16, opts, distance);
    table += fmt::format("| {} | {:.2f} | {:.2f} | {:.2f} |\n", distance, lag[0], lag[1], lag[2]);
    farther.push_back({{"cells_travelled", distance}, {"lag", lag}});
  }
  to.figures["arrival_lag_cells_at_16_a_wavelength"] = farther;
  for (const series& s : lines)
    to.figures["arrival_lag_cells"][s.name] = {{"cells_a_wavelength", s.x}, {"lag", s.y}};
  to.draw("arrival.png", {"Ricker pulse after 40 cells: how late", "cells a wavelength of its peak",
                          "lag (cells)", lines});
  to.add(
      "Arrival of a pulse",
      fmt::format(
          "After 40 cells, from 16 cells a wavelength on, at most {:.2f} cells early or late (0.5). Below, or farther "
          "away, it is more: up to {:.2f} at 8 cells a wavelength (no bound is set there).",
          most, most_below),
      most <= 0.5, "arrival.png", table);
}

void faces(page& to, const perdure::options& opts) {
  const double theory[] = {0, 30, 45, 60};
  std::vector<point> mur, sponge, law;
  for (const double degrees : theory) {
    mur.push_back({degrees, reflection(boundary::mur, degrees, opts)});
    sponge.push_back({degrees, reflection(boundary::sponge, degrees, opts)});
    const double c = std::cos(degrees * 3.14159265358979 / 180);
    law.push_back({degrees, (1 - c) / (1 + c)});
  }
  to.figures["reflection"] = {{"mur", listed(mur)}, {"sponge_20_cells", listed(sponge)}};
  to.draw("reflection.png",
          {"what faces give back, 16 cells a wavelength",
           "angle (degrees)",
           "reflection",
           {of("mur", mur), of("sponge, 20 cells", sponge), of("mur, theory", law, true)}});
  to.add(
      "Absorbing faces",
      fmt::format(
          "At normal incidence first-order Mur gives back {:.3f} (at most 0.01), a sponge of 20 cells {:.4f} (0.01); at 60 "
          "degrees {:.2f} and {:.3f}.",
          mur[0].value, sponge[0].value, mur[3].value, sponge[3].value),
      mur[0].value <= 0.01 && sponge[0].value <= 0.01, "reflection.png");
}

}  // namespace

int main(int argc, char** argv) {
  apps::hold_standard_files();
  CLI::App app{"wavesim3d-accuracy: how right the field is, as a page of plots"};
  arguments a;
  app.add_option("--out", a.out, "directory for README.md, accuracy.json and plots")
      ->check(apps::is_path)
      ->capture_default_str();
  app.add_option("--backend", a.backend)
      ->check(CLI::IsMember({"cpu", "cuda"}))
      ->capture_default_str();
  app.add_option("--size", a.size, "cells along each side, for rounding and energy")
      ->check(CLI::Range(17, 512))
      ->capture_default_str();
  app.add_option("--steps", a.steps, "of the comparison with double")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--energy-steps", a.energy_steps)
      ->check(CLI::Range(2, 10'000'000))
      ->capture_default_str();
  app.add_flag("--quiet", a.quiet, "no lines while it works");
  apps::take_decimals_only(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : static_cast<int>(apps::exit_code::usage);
  }
  std::string command = "wavesim3d-accuracy";
  for (int i = 1; i < argc; ++i) command += " " + std::string{argv[i]};
  try {
    perdure::options opts;
    opts.backend = a.backend == "cpu" ? perdure::backend::cpu : perdure::backend::cuda;
    page to{a};
    apps::expect_writable(to.file("README.md"));  // minutes before it is written
    to.figures["command"] = command;
    to.figures["backend"] = a.backend;
    rounding_of_floats(to, a, opts);
    orders(to, opts);
    drift(to, a, opts);
    arrivals(to, opts);
    faces(to, opts);
    to.save(command);
    return static_cast<int>(to.good() ? apps::exit_code::done : apps::exit_code::different);
  } catch (const apps::failure& e) {
    apps::tell("wavesim3d-accuracy: error: {}", e.what());
    return static_cast<int>(e.code());
  } catch (const std::exception& e) {
    apps::tell("wavesim3d-accuracy: error: {}", e.what());
    return static_cast<int>(apps::exit_code::failed);
  }
}
