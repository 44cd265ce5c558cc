// apps/wavesim3d/level_kinds.hpp - of which kinds a lane's cells of each level of a streamed tile are.
// Why: mostly of one, and then the law of all eight is one that can be asked for beforehand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tile_shape.hpp"

namespace wavesim3d {

/// Of each ring of levels and lane a word, [rings][ny / rows][nx / 4], and in it a byte a level: the kind of the lane's cells.
/// Or `several`, where a lane that goes on beside it has cells of several kinds in a level: such lanes take one way.
/// @tparam Shape  of a streamed tile
template <class Shape>
struct level_kinds {
  using way = column_shape<Shape>;
  static_assert(way::ring == sizeof(std::uint32_t));
  static constexpr std::uint32_t several = ~std::uint32_t{0};
  static constexpr std::size_t together = 32;  ///< lanes, a warp's
  alignas(16) std::array<std::uint32_t, way::rings * Shape::lanes> of;

  static constexpr std::size_t at(std::size_t x, std::size_t y, std::size_t z) {
    return z / way::ring * Shape::lanes + y / way::rows * (Shape::nx / 4) + x / 4;
  }
  /// @param kinds  of all cells, [nz][ny][nx]
  template <class Kinds>
  void find(const Kinds& kinds) {
    of.fill(0);
    std::array<bool, way::rings * Shape::lanes / together> mixed{};
    for (std::size_t z = 0; z < Shape::nz; ++z) {
      for (std::size_t y = 0; y < Shape::ny; y += way::rows) {
        for (std::size_t x = 0; x < Shape::nx; x += 4) {
          const std::size_t first = (z * Shape::ny + y) * Shape::nx + x, word = at(x, y, z);
          for (std::size_t i = 1; i < 4 * way::rows; ++i)
            if (kinds[first + i / 4 * Shape::nx + i % 4] != kinds[first])
              mixed[word / together] = true;
          of[word] |= std::uint32_t{kinds[first]} << (z % way::ring * 8);
        }
      }
    }
    for (std::size_t word = 0; word < of.size(); ++word)
      if (mixed[word / together]) of[word] = several;
  }
};

}  // namespace wavesim3d
