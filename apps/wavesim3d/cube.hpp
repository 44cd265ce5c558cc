// apps/wavesim3d/cube.hpp - a tile of one medium that stays on the chip with twice the cells.
// Why: a grid of 160^3 stays on an H200's chips; swapped, a step of it takes four times as long.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "one_field.hpp"
#include "uniform.hpp"

namespace wavesim3d {

struct cube_tile : one_field_tile<uniform_tile<cube_tile, cube_shape, keeps::one>> {
  using one_field_tile<uniform_tile<cube_tile, cube_shape, keeps::one>>::on;
};

}  // namespace wavesim3d
