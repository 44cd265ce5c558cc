// apps/wavesim3d/shape.hpp - sets of cells: what bodies and sources of a scene fill.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

namespace wavesim3d {

class section;

/// In cells: cell (x, y, z) is the point x, y, z.
struct shape {
  enum class kind { box, sphere, cylinder, layer };
  kind what = kind::box;
  std::array<int, 3> from{}, to{};  ///< box; layer and cylinder: along `axis` only; both included
  std::array<double, 3> center{};   ///< sphere; cylinder: across its axis
  double radius = 0;
  int axis = 2;

  bool holds(const std::array<int, 3>& cell) const;
  /// The first and the last cell along each axis that it may hold, within a grid; none if first > last.
  std::array<std::array<int, 3>, 2> bounds(const std::array<int, 3>& cells) const;
};

/// Reads "shape" and its keys: box (from, to), sphere (center, radius), cylinder (axis, center, radius, from, to),
/// layer (axis, from, to). @throws apps::failure naming file and key.
shape read_shape(section& in, const std::array<int, 3>& cells);

}  // namespace wavesim3d
