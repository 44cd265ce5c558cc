// apps/wavesim3d/laboratory_messages.hpp - what tiles of several materials are told and tell between two runs of steps, and of what
//                                          kinds their cells are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tile_messages.hpp"

namespace wavesim3d {

/// Asks for the tile's cells of a plane; it answers with pieces of rows.
struct look {
  std::int32_t axis, index;  ///< the plane's normal, 0 x to 2 z, and its place in the tile
  std::int32_t tile;         ///< for the answer
};
struct picture_row {
  static constexpr int length = 8;
  std::int32_t tile, first, row;  ///< along the plane's first axis and along its second
  std::array<float, length> pressure;
};
/// Between two runs of steps: a source more (one that is spent makes room), a receiver that comes or goes, another
/// damping of the whole medium.
struct inject {
  source what;
};
struct listen {
  receiver what;
};
struct unlisten {
  std::int32_t id;
};
struct damp {
  float damping;  ///< rate * time step / 2, beside what materials and sponges have of their own
};
/// What the cells of some rows are: the kinds of a lane's cells are no part of the state, so they come by message, before
/// the first step.
struct ground {
  static constexpr int width = 32, rows = 4;
  std::int32_t band;           ///< the rows from 4 band on
  std::int32_t first, levels;  ///< in z; all have these kinds
  std::array<std::uint8_t, static_cast<std::size_t>(width) * rows> kind;  ///< [rows][width]
  friend bool operator==(const ground&, const ground&) = default;
};
/// The answer to inject and listen: whether there was room.
struct taken {
  bool yes;
};

}  // namespace wavesim3d
