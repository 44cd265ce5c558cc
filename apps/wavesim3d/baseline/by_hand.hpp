// apps/wavesim3d/baseline/by_hand.hpp - runs kernels.cu and the same loop on the CPU's cores.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace wavesim3d::baseline {

/// Two fields of n^3 cells, [z][y][x]: p(n) and p(n-1).
struct fields {
  int n = 0;
  float courant2 = 0;
  std::vector<float> now, past;
};

struct timed {
  double seconds =
      0;  ///< from the first step's start to the last one's end, on the device's or the host's clock
  int registers = 0, local_bytes = 0;
};

/// One launch a step, through CUDA graphs of up to 1,000 nodes. @throws perdure::bad_result
timed graph(fields& f, int steps, bool contract);
/// One launch in all. @param tile  cells of a block; blocks must be resident at once.
struct tile_shape {
  int x = 32, y = 32, z = 16;
};
timed resident(fields& f, int steps, bool contract, tile_shape tile);
/// The loop a programmer would write, with OpenMP. @param threads  0: all there are.
timed openmp(fields& f, int steps, int threads);

}  // namespace wavesim3d::baseline
