// apps/wavesim3d/swapped.hpp - a tile of one medium for grids with more tiles than workers.
// Why: such a tile goes to the chip and back for every two steps, which takes longer than they do: the fewer bytes the
//      better. So its lanes keep no columns of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "uniform.hpp"

namespace wavesim3d {

struct swapped_tile : uniform_tile<swapped_tile, large_shape, keeps::both> {
  using uniform_tile<swapped_tile, large_shape, keeps::both>::on;
};

}  // namespace wavesim3d
