// apps/wavesim3d/tile_sides.hpp - what lies around a tile's cells in x and y: what its four neighbours there sent.
// Why: lanes that are threads put it around the own cells, each group for its rows, so that their block need not meet; where
//      lanes are loops a level's row ends are put there before its rows are computed, but of
//      a streamed tile, and rows that are one piece stay where they are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <perdure/actor.hpp>

#include "tile_geometry.hpp"

namespace wavesim3d {

/// Where no neighbour is, what lies around the own cells is nobody's or the derived actor's: null. Unless there is room for
/// a face of zeros; and of a streamed tile, around whose cells lies nothing, they are layers of its own.
/// @tparam Tile  wave_tile
template <class Tile>
struct tile_sides {
  static constexpr std::size_t nx = Tile::nx, ny = Tile::ny, nz = Tile::nz;
  static constexpr std::size_t row = Tile::row, plane = Tile::plane, to_level = Tile::to_level;
  const float *west, *east, *south, *north;

  static bool is_there(const float* side) { return Tile::roomy || side != nullptr; }
  static float value_of(const float* side, std::size_t i) {
    return is_there(side) ? side[i] : 0.0F;
  }

  /// Where lanes are threads. @tparam Turn  of the field
  template <std::size_t Turn>
  void take(const Tile& tile, perdure::block_context& ctx) const {
    if constexpr (Tile::by_groups) {
      ctx.keeps_to_groups();
      ctx.then_each<Tile::nx, Tile::ny / Tile::to_level>(
          tile, [&](Tile& me, std::size_t x, std::size_t by, int) {
            auto& p = me.pressure[Turn];
            std::array<float, Tile::ends> end{};  // all are under way at once
            Tile::each_end(x, by, [&](auto k, std::size_t y, std::size_t z, bool is_east) {
              end[k] = value_of(is_east ? east : west, Tile::in_side(y, z));
            });
            if (by == 0 && is_there(south)) take_front(south + x, &p[Tile::at(x, 0, 0) - row]);
            if (by == ny / to_level - 1 && is_there(north))
              take_front(north + x, &p[Tile::at(x, ny, 0)]);
            Tile::each_end(x, by, [&](auto k, std::size_t y, std::size_t z, bool is_east) {
              if (is_there(is_east ? east : west))
                p[Tile::at(is_east ? nx + 1 : 0, y, z) - 1] = end[k];
            });
          });
    } else {
      ctx.then_each<Tile::nx, Tile::nz>(tile, [&](Tile& me, std::size_t a, std::size_t z, int) {
        auto& p = me.pressure[Turn];
        const std::size_t i = z * nx + a, j = Tile::in_side(a, z);
        const float w = value_of(west, j), e = value_of(east, j), s = value_of(south, i),
                    n = value_of(north, i);
        if (is_there(west)) p[Tile::at(0, a, z) - 1] = w;
        if (is_there(east)) p[Tile::at(nx, a, z)] = e;
        if (is_there(south)) p[Tile::at(a, 0, z) - row] = s;
        if (is_there(north)) p[Tile::at(a, ny, z)] = n;
      });
    }
  }
  /// Where lanes are loops: of a level whose first row is `now`.
  void take_ends(float* now, std::size_t z) const {
    for (std::size_t y = 0; y < ny; ++y) {
      if (is_there(west)) *(now + y * row - 1) = west[Tile::in_side(y, z)];
      if (is_there(east)) now[y * row + nx] = east[Tile::in_side(y, z)];
    }
  }
  /// The same: the next pressures of a row. @param under, above  the rows of the levels there
  template <class Next>
  void advance_row(float* past, const float* now, std::size_t y, std::size_t z, const float* under,
                   const float* above, const Next& next) const {
    const float* before = y > 0 || !is_there(south) ? now - row : south + z * nx;
    const float* behind = y < ny - 1 || !is_there(north) ? now + row : north + z * nx;
    if constexpr (Tile::streamed) {
      const std::size_t i = Tile::in_side(y, z);
      Tile::advance_row_between(west[i], east[i], past, now, before, behind, under, above, next);
    } else {
      Tile::advance_row(past, now, before, behind, under, above, next);
    }
  }

 private:
  static void take_front(const float* from, float* to) {
    std::array<float, nz> v;
    each<nz>([&](auto z) { v[z] = from[z * nx]; });
    each<nz>([&](auto z) { to[z * plane] = v[z]; });
  }
};

}  // namespace wavesim3d
