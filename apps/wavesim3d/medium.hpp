// apps/wavesim3d/medium.hpp - a tile of several materials that stays on the chip.
// Why: what its lanes keep in registers from step to step they need not read again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laboratory.hpp"

namespace wavesim3d {

struct medium_tile : laboratory_tile<medium_tile, large_shape, keeps::columns> {
  using laboratory_tile<medium_tile, large_shape, keeps::columns>::on;
};

}  // namespace wavesim3d
