// apps/wavesim3d/small_medium.hpp - a small tile of several materials that stays on the chip.
// Why: see small.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laboratory.hpp"

namespace wavesim3d {

struct small_medium_tile : laboratory_tile<small_medium_tile, small_shape, keeps::columns> {
  using laboratory_tile<small_medium_tile, small_shape, keeps::columns>::on;
};

}  // namespace wavesim3d
