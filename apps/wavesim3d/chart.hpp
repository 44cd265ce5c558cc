// apps/wavesim3d/chart.hpp - lines over axes as a PNG: traces, energy, the page on accuracy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "canvas.hpp"

namespace wavesim3d {

struct series {
  std::string name;
  std::vector<double> x, y;
  bool dots = false;  ///< marks in place of a line
};
struct chart {
  std::string title, x_label, y_label;
  std::vector<series> lines;
  bool logarithmic = false;  ///< both axes; values above 0 only
};

/// Appears whole or not at all. @throws apps::failure
void draw_chart(const std::filesystem::path& to, const chart& c);

/// Of the n-th line; those of the first fifty are different.
rgb line_colour(std::size_t n);

}  // namespace wavesim3d
