// apps/wavesim3d/accuracy/experiments.cpp - see experiments.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "experiments.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "cut.hpp"
#include "energy.hpp"
#include "reference.hpp"
#include "simulation.hpp"

namespace wavesim3d::accuracy {
namespace {

double rms(double squares, std::size_t n) {
  return n == 0 ? 0 : std::sqrt(squares / static_cast<double>(n));
}

bool beside_a_border(const cut::cell& c, const cut& grid) {
  for (std::size_t a = 0; a < 3; ++a) {
    const int in = c[a] % grid.size[a];
    if ((in == 0 && c[a] > 0) || (in == grid.size[a] - 1 && c[a] + 1 < grid.cells[a])) return true;
  }
  return false;
}

/// Time of the largest sample, by the parabola through it and its neighbours, in steps.
double peak(const std::vector<float>& trace) {
  const auto top = std::max_element(trace.begin() + 1, trace.end() - 1) - trace.begin();
  const auto i = static_cast<std::size_t>(top);
  const double a = trace[i - 1], b = trace[i], c = trace[i + 1];
  return static_cast<double>(i + 1) + (a - c) / (2 * (a - 2 * b + c));
}

std::vector<float> trace_of(const scene& s, int steps, const perdure::options& opts) {
  simulation sim{s, opts};
  sim.advance(steps);
  return sim.traces()[0];
}

/// A plane wave from a sheet, in a grid whose east face lies so many cells behind the receiver.
scene channel(boundary east, int behind) {
  scene s;
  s.name = "channel";
  s.cells = {160 + behind, 4, 4};
  s.faces.fill(boundary::reflecting);
  s.faces[0] = boundary::mur;
  s.faces[1] = east;
  shape sheet;
  sheet.from = {20, 0, 0};
  sheet.to = {20, 3, 3};
  const double frequency = s.materials[0].speed_m_s / (16 * s.spacing_m);  // 16 cells a wave
  s.sources = {{wave::ricker, {}, sheet, 1, frequency, 1.5 / frequency}};
  s.receivers = {{"r", {160, 1, 1}}};
  return s;
}

/// A point source and a receiver at the same distance before the upper face, which the echo meets at that angle.
scene before_a_face(boundary up, double degrees, int above) {
  constexpr int distance = 24;
  const int apart =
      static_cast<int>(std::lround(2 * distance * std::tan(degrees * std::numbers::pi / 180)));
  scene s;
  s.name = "face";
  const int margin = 110;
  s.cells = {apart + 2 * margin, 2 * margin, margin + distance + above};
  s.faces[5] = up;
  const int z = margin;
  const double frequency = s.materials[0].speed_m_s / (16 * s.spacing_m);
  s.sources = {{wave::ricker, {margin, margin, z}, {}, 1, frequency, 1.5 / frequency}};
  s.receivers = {{"r", {margin + apart, margin, z}}};
  return s;
}

}  // namespace

double relative(const std::vector<float>& a, const std::vector<double>& b) {
  double off = 0, all = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    off += (a[i] - b[i]) * (a[i] - b[i]);
    all += b[i] * b[i];
  }
  return std::sqrt(off / all);
}

scene busy_cube(int n) {
  scene s;
  s.name = "cube";
  s.cells = {n, n, n};
  s.mode = {3, 2, 1};
  s.sources = {{wave::ricker, {n / 3, n / 2, 2 * n / 3}, {}, 0.2, 1500, 0.001}};
  return s;
}

rounding against_double(int n, int steps, int every, const perdure::options& opts) {
  const scene s = busy_cube(n);
  simulation sim{s, opts};
  plain_loop<double> loop{s, sim.field(), sim.past_ratio()};
  rounding out;
  std::vector<float> got;
  std::vector<double> right;
  for (int step = 0; step < steps;) {
    const int now = std::min(every, steps - step);
    sim.advance(now);
    for (int i = 0; i < now; ++i) loop.step();
    step += now;
    got = sim.field();
    right = loop.field();
    out.error.push_back({static_cast<double>(step), relative(got, right)});
  }
  double squares[2] = {0, 0};
  std::size_t counts[2] = {0, 0};
  cut::cell at;
  for (at[2] = 0; at[2] < n; ++at[2]) {
    for (at[1] = 0; at[1] < n; ++at[1]) {
      for (at[0] = 0; at[0] < n; ++at[0]) {
        const std::size_t i = sim.grid().flat(at);
        const bool border = beside_a_border(at, sim.grid());
        squares[border ? 1 : 0] += (got[i] - right[i]) * (got[i] - right[i]);
        ++counts[border ? 1 : 0];
      }
    }
  }
  out.border_ratio = rms(squares[1], counts[1]) / rms(squares[0], counts[0]);
  for (std::size_t i = 0; i < got.size(); ++i)
    out.difference.push_back(static_cast<float>(got[i] - right[i]));
  return out;
}

double mode_error(int n, double courant, bool in_time, const perdure::options& opts) {
  scene s;
  s.name = "mode";
  s.cells = {n, n, n};
  s.mode = {1, 1, 1};
  s.courant = courant;
  const double length = 1.0;
  s.spacing_m = length / (n + 1);
  simulation sim{s, opts};
  const std::vector<float> start = sim.field();
  const double k = std::numbers::pi / length;
  const double along = in_time ? 2 / s.spacing_m * std::sin(k * s.spacing_m / 2) : k;
  const double omega = std::sqrt(3.0) * along * s.fastest_m_s();
  const int steps = static_cast<int>(std::lround(2.6 * std::numbers::pi / omega / s.time_step_s()));
  sim.advance(steps);
  std::vector<double> exact;
  exact.reserve(start.size());
  for (const float p : start) exact.push_back(p * std::cos(omega * steps * s.time_step_s()));
  return relative(sim.field(), exact);
}

double slope(point coarse, point fine) {
  return -std::log(coarse.value / fine.value) / std::log(coarse.at / fine.at);
}

std::vector<point> energy_drift(int n, int steps, int every, const perdure::options& opts) {
  scene s = busy_cube(n);
  s.sources.clear();
  simulation sim{s, opts};
  const world w{s};
  const energy_meter meter{s, w};
  sim.advance(1);
  const double first = meter.measure(1, sim.field(), sim.past()).total();
  std::vector<point> out;
  while (sim.step() < steps) {
    sim.advance(std::min(every, steps - static_cast<int>(sim.step())));
    const double now = meter.measure(static_cast<int>(sim.step()), sim.field(), sim.past()).total();
    out.push_back({static_cast<double>(sim.step()), now / first - 1});
  }
  return out;
}

std::vector<double> arrival_lag(int cells, const perdure::options& opts, int distance) {
  std::vector<double> out;
  for (int axes = 1; axes <= 3; ++axes) {
    const int each = static_cast<int>(std::lround(distance / std::sqrt(static_cast<double>(axes))));
    scene s;
    s.name = "arrival";
    // echoes of the faces come later
    const int margin = 64;
    s.cells = {2 * margin + each, 2 * margin + (axes > 1 ? each : 0),
               2 * margin + (axes > 2 ? each : 0)};
    const double frequency = s.materials[0].speed_m_s / (cells * s.spacing_m);
    s.sources = {{wave::ricker, {margin, margin, margin}, {}, 1, frequency, 1.5 / frequency}};
    s.receivers = {
        {"r", {margin + each, margin + (axes > 1 ? each : 0), margin + (axes > 2 ? each : 0)}}};
    const double way = each * std::sqrt(static_cast<double>(axes));  // in cells
    const double due = s.sources[0].delay_s / s.time_step_s() + way / s.courant;
    const auto seen = trace_of(s, static_cast<int>(due) + 2 * cells, opts);
    out.push_back((peak(seen) - due) * s.courant);
  }
  return out;
}

double reflection(boundary face, double degrees, const perdure::options& opts, int sponge_cells) {
  constexpr int steps = 700, oblique_steps = 330;
  const bool plane = degrees == 0;
  const auto make = [&](boundary b, int room) {
    scene s = plane ? channel(b, room) : before_a_face(b, degrees, room);
    s.sponge_cells = sponge_cells;
    return s;
  };
  // the sponge lies within the grid: its face is that far behind
  const int sponge = face == boundary::sponge ? sponge_cells : 0;
  const int many = plane ? steps : oblique_steps;
  const auto seen = trace_of(make(face, 1 + sponge), many, opts);
  const auto alone = trace_of(make(boundary::dirichlet, plane ? 400 : 110), many, opts);
  double back = 0, there = 0;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    back = std::max(back, std::abs(double{seen[i]} - alone[i]));
    there = std::max(there, std::abs(double{alone[i]}));
  }
  if (plane) return back / there;
  // what a mirror gives back at the same place
  const auto mirrored = trace_of(make(boundary::reflecting, 1 + sponge), many, opts);
  double most = 0;
  for (std::size_t i = 0; i < seen.size(); ++i)
    most = std::max(most, std::abs(double{mirrored[i]} - alone[i]));
  return back / most;
}

}  // namespace wavesim3d::accuracy
