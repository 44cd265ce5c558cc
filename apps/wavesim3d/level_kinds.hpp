// apps/wavesim3d/level_kinds.hpp - of which kinds a lane's cells of each level of a streamed tile are.
// Why: mostly of one, and then the law of all eight is one that can be asked for beforehand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tile_shape.hpp"

namespace wavesim3d {

/// In place of a kind: of several, or of the one kind of that number. Cells of such levels are looked up one by one.
inline constexpr std::uint8_t of_several = 255;

/// Of each ring of levels and lane a word, [rings][ny / rows][nx / 4], and in it a byte a level: the kind of the lane's cells.
/// @tparam Shape  of a streamed tile
template <class Shape>
struct level_kinds {
  using way = column_shape<Shape>;
  static_assert(way::ring == sizeof(std::uint32_t));
  alignas(16) std::array<std::uint32_t, way::rings * Shape::lanes> of;

  static constexpr std::size_t at(std::size_t x, std::size_t y, std::size_t z) {
    return z / way::ring * Shape::lanes + y / way::rows * (Shape::nx / 4) + x / 4;
  }
  /// @param kinds  of all cells, [nz][ny][nx]
  template <class Kinds>
  void find(const Kinds& kinds) {
    of.fill(0);
    for (std::size_t z = 0; z < Shape::nz; ++z) {
      for (std::size_t y = 0; y < Shape::ny; y += way::rows) {
        for (std::size_t x = 0; x < Shape::nx; x += 4) {
          const std::size_t first = (z * Shape::ny + y) * Shape::nx + x;
          std::uint32_t one = kinds[first];
          for (std::size_t i = 0; i < 4 * way::rows; ++i)
            if (kinds[first + i / 4 * Shape::nx + i % 4] != kinds[first]) one = of_several;
          of[at(x, y, z)] |= one << (z % way::ring * 8);
        }
      }
    }
  }
};

}  // namespace wavesim3d
