// apps/wavesim3d/shape.cpp - see shape.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "shape.hpp"

#include <algorithm>
#include <cmath>

#include "section.hpp"

namespace wavesim3d {

bool shape::holds(const std::array<int, 3>& cell) const {
  const auto along = static_cast<std::size_t>(axis);
  double apart2 = 0;  // from the centre
  for (std::size_t a = 0; a < 3; ++a) {
    const bool bounded = what == kind::box || (what != kind::sphere && a == along);
    if (bounded && (cell[a] < from[a] || cell[a] > to[a])) return false;
    const bool round = what == kind::sphere || (what == kind::cylinder && a != along);
    if (round) apart2 += (cell[a] - center[a]) * (cell[a] - center[a]);
  }
  return apart2 <= radius * radius;
}

std::array<std::array<int, 3>, 2> shape::bounds(const std::array<int, 3>& cells) const {
  std::array<std::array<int, 3>, 2> out{};
  for (std::size_t a = 0; a < 3; ++a) {
    const bool along = a == static_cast<std::size_t>(axis);
    out[1][a] = cells[a] - 1;
    if (what == kind::box || (what != kind::sphere && along)) {
      out[0][a] = from[a];
      out[1][a] = std::min(to[a], cells[a] - 1);
    } else if (what != kind::layer) {
      out[0][a] = std::max(0, static_cast<int>(std::ceil(center[a] - radius)));
      out[1][a] = std::min(cells[a] - 1, static_cast<int>(std::floor(center[a] + radius)));
    }
  }
  return out;
}

shape read_shape(section& in, const std::array<int, 3>& cells) {
  shape s;
  s.what = static_cast<shape::kind>(in.choice("shape", {"box", "sphere", "cylinder", "layer"}));
  if (s.what == shape::kind::box) {
    s.from = in.cell("from", cells);
    s.to = in.cell("to", cells);
    for (std::size_t a = 0; a < 3; ++a) {
      if (s.to[a] < s.from[a]) in.refuse("to", "lies before \"from\"; both are included");
    }
    return s;
  }
  if (s.what != shape::kind::sphere) {
    s.axis = in.choice("axis", {"x", "y", "z"});
    const auto along = static_cast<std::size_t>(s.axis);
    s.from[along] = in.whole("from", 0, cells[along] - 1);
    s.to[along] = in.whole("to", s.from[along], cells[along] - 1);
  }
  if (s.what != shape::kind::layer) {
    s.center = in.point("center", -most_cells, 2 * most_cells);
    if (!in.has("radius")) in.refuse("radius", "is missing");
    s.radius = in.number("radius", 0, 2 * most_cells, 0);
  }
  return s;
}

}  // namespace wavesim3d
