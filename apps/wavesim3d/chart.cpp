// apps/wavesim3d/chart.cpp - see chart.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "canvas.hpp"

namespace wavesim3d {
namespace {

constexpr int left = 120, above = 64, width = 640, height = 360, below = 64, right = 290;

/// An axis from the values that it has to hold.
struct axis {
  bool logarithmic;
  double low = std::numeric_limits<double>::infinity(), high = -low;

  double scaled(double v) const { return logarithmic ? std::log10(v) : v; }
  bool fits(double v) const { return std::isfinite(v) && (!logarithmic || v > 0); }
  void hold(double v) {
    if (!fits(v)) return;
    low = std::min(low, scaled(v));
    high = std::max(high, scaled(v));
  }
  void round_up() {
    if (!(low <= high)) low = 0, high = 1;
    const double room = low == high ? std::max(std::abs(low) * 0.1, 1e-30) : (high - low) * 0.04;
    low -= room;
    high += room;
  }
  double part(double v) const { return (scaled(v) - low) / (high - low); }
  std::vector<double> marks(int most) const {
    if (!logarithmic) return ticks(low, high, most);
    std::vector<double> out;
    for (double decade = std::floor(low); decade <= high; decade += 1) {
      for (const double part : {1.0, 2.0, 5.0}) {
        if (part != 1 && high - low > 2.5) continue;
        const double t = part * std::pow(10, decade);
        if (scaled(t) >= low && scaled(t) <= high) out.push_back(t);
      }
    }
    return out;
  }
};

}  // namespace

rgb line_colour(std::size_t n) {
  constexpr std::array<rgb, 6> first{
      {{33, 102, 172}, {178, 24, 43}, {35, 139, 69}, {230, 125, 0}, {106, 61, 154}, {80, 80, 80}}};
  if (n < first.size()) return first[n];
  // hues by the golden angle, of three lightnesses
  const double hue = std::fmod(static_cast<double>(n) * 137.508 + 60, 360) / 60;
  const double light = 0.32 + 0.13 * static_cast<double>(n % 3);
  const double chroma = (1 - std::abs(2 * light - 1)) * 0.7;
  rgb out{};
  for (std::size_t i = 0; i < 3; ++i) {
    const double far = std::abs(std::fmod(hue + 8 - 2 * static_cast<double>(i), 6) - 3);
    const double part = std::clamp(far - 1, 0.0, 1.0);
    out[i] = static_cast<std::uint8_t>(std::lround(255 * (light + chroma * (part - 0.5))));
  }
  return out;
}

void draw_chart(const std::filesystem::path& to, const chart& c) {
  axis across{c.logarithmic}, up{c.logarithmic};
  for (const series& s : c.lines) {
    for (const double v : s.x) across.hold(v);
    for (const double v : s.y) up.hold(v);
  }
  across.round_up();
  up.round_up();
  const auto x = [&](double v) { return left + across.part(v) * width; };
  const auto y = [&](double v) { return above + (1 - up.part(v)) * height; };
  const int names = 24 * static_cast<int>(c.lines.size());
  canvas image{left + width + right, above + std::max(height + below, names)};
  for (const double t : across.marks(6)) {
    image.fill(static_cast<int>(x(t)), above, 1, height + 6, grey);
    image.text(static_cast<int>(x(t)), above + height + 10, fmt::format("{:.6g}", t), 0.5);
  }
  for (const double t : up.marks(6)) {
    image.fill(left - 6, static_cast<int>(y(t)), width + 6, 1, grey);
    image.text(left - 10, static_cast<int>(y(t)) - canvas::letter_height / 2,
               fmt::format("{:.4g}", t), 1);
  }
  image.frame(left, above, width, height, black);
  image.text(left + width / 2, above + height + 36, c.x_label, 0.5);
  image.text(8, above - 26, c.y_label);
  image.text(left + width / 2, 12, c.title, 0.5);
  for (std::size_t n = 0; n < c.lines.size(); ++n) {
    const series& s = c.lines[n];
    const rgb colour = line_colour(n);
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (!across.fits(s.x[i]) || !up.fits(s.y[i])) continue;
      const double a = x(s.x[i]), b = y(s.y[i]);
      if (s.dots) {
        image.fill(static_cast<int>(a) - 4, static_cast<int>(b) - 4, 9, 9, colour);
      } else if (i > 0 && across.fits(s.x[i - 1]) && up.fits(s.y[i - 1])) {
        for (const int thick : {0, 1})
          image.line(x(s.x[i - 1]), y(s.y[i - 1]) + thick, a, b + thick, colour);
      }
    }
    if (s.name.empty()) continue;
    image.fill(left + width + 12, above + 24 * static_cast<int>(n) + 5, 16, 5, colour);
    image.text(left + width + 34, above + 24 * static_cast<int>(n), s.name.substr(0, 20));
  }
  image.save(to);
}

}  // namespace wavesim3d
