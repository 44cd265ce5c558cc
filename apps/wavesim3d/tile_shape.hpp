// apps/wavesim3d/tile_shape.hpp - how large a tile is, and how many lanes step it.
// Why: a grid that has few tiles leaves most of a GPU's processors without one; smaller tiles give each of them some.
// Invariant: but for the last one, x is a warp's width, a lane has some rows of each level, two or four, and ny is a multiple of nz.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wavesim3d {

/// Cells along each axis.
struct large_shape {
  static constexpr int lanes = 256, nx = 32, ny = 32, nz = 16;
};
/// By as many lanes as a large one: what each of them waits for and sends takes half as long then.
struct small_shape {
  static constexpr int lanes = 256, nx = 32, ny = 16, nz = 4;
};
/// Twice the large one: two fields of it are larger than a chip, one is not.
struct cube_shape {
  static constexpr int lanes = 256, nx = 32, ny = 32, nz = 32;
};

/// One that is never on the chip. 128 of them are 256^3.
struct stream_shape {
  static constexpr int lanes = 256, nx = 64, ny = 32, nz = 64;
};
/// A lane's way through it: of each level four cells of each of some rows, a ring of levels at a time.
template <class Shape>
struct column_shape {
  static constexpr int rows = Shape::nx * Shape::ny / 4 / Shape::lanes, ring = 4,
                       rings = Shape::nz / ring;
};

/// Where a tile has p(n) and p(n-1).
enum class keeps {
  memory,   ///< in its state, which stays in the device's memory
  both,     ///< in its state: half the bytes of the others, if it is swapped
  columns,  ///< and where lanes are threads in their registers, too: the quickest
  one       ///< p(n) in its state and p(n-1) in the lanes' registers alone
};

}  // namespace wavesim3d
