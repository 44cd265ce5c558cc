// apps/wavesim3d/streamed.hpp - a tile of one medium that stays in the device's memory.
// Why: of a grid that is larger than the chips it is what moves the fewest bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "uniform.hpp"

namespace wavesim3d {

struct streamed_tile : uniform_tile<streamed_tile, stream_shape, keeps::memory> {
  using uniform_tile<streamed_tile, stream_shape, keeps::memory>::on;
};

}  // namespace wavesim3d
