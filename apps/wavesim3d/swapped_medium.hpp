// apps/wavesim3d/swapped_medium.hpp - a tile of several materials for grids with more tiles than workers.
// Why: see swapped.hpp: such a tile goes to the chip and back, so its lanes keep no columns of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laboratory.hpp"

namespace wavesim3d {

struct swapped_medium_tile : laboratory_tile<swapped_medium_tile, large_shape, keeps::both> {
  using laboratory_tile<swapped_medium_tile, large_shape, keeps::both>::on;
};

}  // namespace wavesim3d
