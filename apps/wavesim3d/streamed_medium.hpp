// apps/wavesim3d/streamed_medium.hpp - a tile of several materials that stays in the device's memory.
// Why: of a grid that is larger than the chips it is what moves the fewest bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "laboratory.hpp"

namespace wavesim3d {

struct streamed_medium_tile : laboratory_tile<streamed_medium_tile, stream_shape, keeps::memory> {
  using laboratory_tile<streamed_medium_tile, stream_shape, keeps::memory>::on;
};

}  // namespace wavesim3d
