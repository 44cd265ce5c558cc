// apps/wavesim3d/small.hpp - a small tile of one medium that stays on the chip.
// Why: of a grid of 64^3 it gives 128 processors a tile each, where large ones give 16.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "uniform.hpp"

namespace wavesim3d {

struct small_tile : uniform_tile<small_tile, small_shape, keeps::columns> {
  using uniform_tile<small_tile, small_shape, keeps::columns>::on;
};

}  // namespace wavesim3d
