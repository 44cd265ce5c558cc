// apps/wavesim3d/plane.hpp - a plane of cells of a field.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

namespace wavesim3d {

/// The one of its axes that comes first in x, y, z runs along a row.
struct plane {
  int width = 0, height = 0;
  std::vector<float> p;  ///< [height][width], Pa
};

/// The two axes of the planes that are normal to an axis.
constexpr std::array<std::size_t, 2> axes_across(int normal) {
  return {normal == 0 ? 1U : 0U, normal == 2 ? 1U : 2U};
}

}  // namespace wavesim3d
