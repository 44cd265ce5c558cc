// apps/wavesim3d/baseline/by_hand.hpp - runs kernels.cu and the same loop on the CPU's cores.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
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

/// Threads of a block, and cells of a thread in x (1 or 4) and z.
struct step_shape {
  int x = 32, y = 4, z = 2, cells_x = 1, cells_z = 1;
};
struct tile_shape {
  int x = 32, y = 32, z = 16;
};

/// The kernels for one size on the first device, with both fields in its memory.
class device_kernels {
 public:
  /// @param contract  whether a * b + c may be one operation.  @throws perdure::bad_result
  device_kernels(const fields& start, bool contract);
  device_kernels(const device_kernels&) = delete;
  device_kernels& operator=(const device_kernels&) = delete;
  ~device_kernels();

  /// The fields as they were at the start.
  void reset();
  fields fetch() const;

  // each goes on where the last one has ended
  /// A kernel a step, through CUDA graphs of some 1,000 nodes.
  timed graph(int steps, const step_shape& shape);
  /// A kernel a step, launched one by one.
  timed launched(int steps, const step_shape& shape);
  /// A kernel for two steps, through CUDA graphs. @param steps  even.
  timed two_steps(int steps);
  /// One launch in all. @param tile  cells of a block; all blocks must be resident at once.
  /// @param one_field  shared memory holds one field of the tile in place of two.
  timed resident(int steps, const tile_shape& tile, bool one_field);

  /// The shape whose graph is fastest, found by trying. Shapes that the size does not allow are left out.
  step_shape fastest(int steps);

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

/// The loop a programmer would write, with OpenMP. @param threads  no more than there are cores; 0: as many.
timed openmp(fields& f, int steps, int threads);

}  // namespace wavesim3d::baseline
