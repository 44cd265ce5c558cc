// apps/wavesim3d/cut.hpp - how the grid is cut into tiles.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tile_shape.hpp"

namespace wavesim3d {

struct cut {
  using cell = std::array<int, 3>;
  cell cells, size, tiles;  ///< of the grid, of a tile; tiles along each axis

  template <class Shape>
  static constexpr cell size_of{Shape::nx, Shape::ny, Shape::nz};
  explicit cut(const cell& of, const cell& tile = size_of<large_shape>)
      : cells{of}, size{tile}, tiles{} {
    for (std::size_t a = 0; a < 3; ++a) tiles[a] = (cells[a] + size[a] - 1) / size[a];
  }
  std::size_t count() const {
    return static_cast<std::size_t>(tiles[0]) * static_cast<std::size_t>(tiles[1]) *
           static_cast<std::size_t>(tiles[2]);
  }
  cell place(std::size_t t) const {
    const auto i = static_cast<int>(t);
    return {i % tiles[0], i / tiles[0] % tiles[1], i / (tiles[0] * tiles[1])};
  }
  std::size_t number(const cell& p) const {
    const auto as = [](int n) { return static_cast<std::size_t>(n); };
    return (as(p[2]) * as(tiles[1]) + as(p[1])) * as(tiles[0]) + as(p[0]);
  }
  std::size_t tile_of(const cell& at) const {
    return number({at[0] / size[0], at[1] / size[1], at[2] / size[2]});
  }
  /// The first cell of a tile.
  cell first(std::size_t t) const {
    const cell p = place(t);
    return {p[0] * size[0], p[1] * size[1], p[2] * size[2]};
  }
  /// How many of a tile's cells along an axis lie in the grid.
  int used(std::size_t t, std::size_t axis) const {
    return std::min(size[axis], cells[axis] - first(t)[axis]);
  }
  /// Number of a cell in an array [nz][ny][nx] of the grid.
  std::size_t flat(const cell& at) const {
    const auto row = static_cast<std::size_t>(at[2]) * static_cast<std::size_t>(cells[1]) +
                     static_cast<std::size_t>(at[1]);
    return row * static_cast<std::size_t>(cells[0]) + static_cast<std::size_t>(at[0]);
  }
  /// Place in the field of a tile of this type of one of its own cells.
  template <class Tile>
  static std::uint32_t within(const cell& at) {
    const auto in_tile = [&](std::size_t a) {
      return static_cast<std::size_t>(at[a] % size_of<Tile>[a]);
    };
    return static_cast<std::uint32_t>(Tile::at(in_tile(0), in_tile(1), in_tile(2)));
  }
  /// f(cell of the grid, place in the field) for each cell of a tile of this type.
  template <class Tile, class F>
  void each_cell(std::size_t t, F f) const {
    const cell from = first(t);
    for (int z = 0; z < used(t, 2); ++z) {
      for (int y = 0; y < used(t, 1); ++y) {
        for (int x = 0; x < used(t, 0); ++x) {
          const cell at{from[0] + x, from[1] + y, from[2] + z};
          f(at, std::size_t{within<Tile>(at)});
        }
      }
    }
  }
};

}  // namespace wavesim3d
