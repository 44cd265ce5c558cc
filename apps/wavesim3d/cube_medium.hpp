// apps/wavesim3d/cube_medium.hpp - a tile of several materials that stays on the chip with twice the cells.
// Why: as cube.hpp. It knows no absorbing walls: they need p(n-1) of cells that are another lane's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laboratory.hpp"
#include "one_field.hpp"

namespace wavesim3d {

struct cube_medium_tile
    : one_field_tile<laboratory_tile<cube_medium_tile, cube_shape, keeps::one>> {
  using one_field_tile<laboratory_tile<cube_medium_tile, cube_shape, keeps::one>>::on;
};

}  // namespace wavesim3d
