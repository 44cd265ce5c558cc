// apps/wavesim3d/plain.hpp - a tile of one medium that stays on the chip.
// Why: what its lanes keep in registers from step to step they need not read again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "uniform.hpp"

namespace wavesim3d {

struct tile : uniform_tile<tile, large_shape, keeps::columns> {
  using uniform_tile<tile, large_shape, keeps::columns>::on;
};

}  // namespace wavesim3d
