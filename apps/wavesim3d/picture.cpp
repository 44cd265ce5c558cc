// apps/wavesim3d/picture.cpp - see picture.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "canvas.hpp"

namespace wavesim3d {
namespace {

constexpr int least_pixels = 512;
constexpr int left = 90, above = 40, below = 64, bar_gap = 24, bar_width = 20, right = 140;
constexpr rgb obstacle{96, 96, 96}, outline{140, 140, 140};

/// Where the plane lies on the picture; its second axis points up.
struct placed {
  int zoom = 1, width = 0, height = 0;  ///< in pixels
  int x(double cell) const { return left + static_cast<int>(std::lround(cell * zoom)); }
  int y(double cell) const { return above + height - static_cast<int>(std::lround(cell * zoom)); }
};

void draw_cells(canvas& to, const placed& at, const scene& s, const world& w,
                const slice_spec& which, const plane& cells, double range) {
  const auto [u, v] = axes_across(which.axis);
  const auto cell = [&, u = u, v = v](int a, int b) {
    std::array<int, 3> c{};
    c[static_cast<std::size_t>(which.axis)] = which.index;
    c[u] = a;
    c[v] = b;
    return c;
  };
  for (int b = 0; b < cells.height; ++b) {
    for (int a = 0; a < cells.width; ++a) {
      const auto p = cells.p[static_cast<std::size_t>(b) * static_cast<std::size_t>(cells.width) +
                             static_cast<std::size_t>(a)];
      const auto material = w.material(cell(a, b));
      const bool fluid = s.materials[material].kind == substance::fluid;
      to.fill(at.x(a), at.y(b + 1), at.zoom, at.zoom,
              !fluid ? obstacle : diverging(range == 0 ? 0 : p / range));
      // a line where a material ends
      if (a > 0 && w.material(cell(a - 1, b)) != material)
        to.fill(at.x(a), at.y(b + 1), 1, at.zoom, outline);
      if (b > 0 && w.material(cell(a, b - 1)) != material)
        to.fill(at.x(a), at.y(b), at.zoom, 1, outline);
    }
  }
}

void draw_axes(canvas& to, const placed& at, const scene& s, const slice_spec& which) {
  const auto [u, v] = axes_across(which.axis);
  const double across = at.width * s.spacing_m / at.zoom, up = at.height * s.spacing_m / at.zoom;
  const int line = above + at.height;
  for (const double t : ticks(0, across, std::max(2, at.width / 90))) {
    to.fill(at.x(t / s.spacing_m), line, 1, 6, black);
    to.text(at.x(t / s.spacing_m), line + 10, fmt::format("{:.4g}", t), 0.5);
  }
  to.text(left + at.width / 2, line + 34, fmt::format("{} (m)", "xyz"[u]), 0.5);
  for (const double t : ticks(0, up, std::max(2, at.height / 60))) {
    to.fill(left - 6, at.y(t / s.spacing_m), 6, 1, black);
    to.text(left - 10, at.y(t / s.spacing_m) - canvas::letter_height / 2, fmt::format("{:.4g}", t),
            1);
  }
  to.text(8, 12, fmt::format("{} (m)", "xyz"[v]));
  to.frame(left, above, at.width, at.height, black);
}

void draw_bar(canvas& to, const placed& at, double range) {
  const int x = left + at.width + bar_gap;
  for (int y = 0; y < at.height; ++y)
    to.fill(x, above + y, bar_width, 1, diverging(1 - 2 * (y + 0.5) / at.height));
  to.frame(x, above, bar_width, at.height, black);
  for (const double part : {-1.0, -0.5, 0.0, 0.5, 1.0}) {
    const int y = above + static_cast<int>(std::lround((1 - part) / 2 * (at.height - 1)));
    to.fill(x + bar_width, y, 6, 1, black);
    to.text(x + bar_width + 10, y - canvas::letter_height / 2,
            range == 0 ? "0" : fmt::format("{:.3g}", part * range));
  }
  to.text(x, above + at.height + 10, "Pa");
}

}  // namespace

double write_slice(const std::filesystem::path& to, const scene& s, const world& w,
                   const slice_spec& which, const plane& cells, int step) {
  double range = which.range_pa;
  if (range == 0) {
    for (const float p : cells.p) range = std::max(range, std::abs(double{p}));
  }
  placed at;
  const int longer = std::max(cells.width, cells.height);
  at.zoom = std::max(1, (least_pixels + longer - 1) / longer);
  at.width = cells.width * at.zoom;
  at.height = cells.height * at.zoom;
  canvas image{left + at.width + bar_gap + bar_width + right, above + at.height + below};
  draw_cells(image, at, s, w, which, cells, range);
  draw_axes(image, at, s, which);
  draw_bar(image, at, range);
  image.text(left, 12,
             fmt::format("{}  {} = {:.4g} m  t = {:.4g} ms", s.name, "xyz"[which.axis],
                         (which.index + 0.5) * s.spacing_m, step * s.time_step_s() * 1e3));
  image.save(to);
  return range;
}

}  // namespace wavesim3d
