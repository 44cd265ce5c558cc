// apps/wavesim3d/tile_faces.hpp - the messages that a tile sends to its six neighbours: its outermost cells.
// Why: what a tile is and what it tells its neighbours are two things.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <perdure/actor.hpp>

#include "tile_geometry.hpp"

namespace wavesim3d {

/// @tparam Tile  wave_tile
template <class Tile>
struct open_faces {
  using port = typename Tile::port;
  static constexpr std::size_t nx = Tile::nx, ny = Tile::ny, nz = Tile::nz;
  static constexpr std::size_t at(std::size_t x, std::size_t y, std::size_t z) {
    return Tile::at(x, y, z);
  }
  perdure::outgoing<typename Tile::side> west, east;
  perdure::outgoing<typename Tile::front> south, north;
  perdure::outgoing<typename Tile::level> down, up;

  explicit open_faces(perdure::block_context& ctx)
      : west{ctx.open<typename Tile::side>(port::west)},
        east{ctx.open<typename Tile::side>(port::east)},
        south{ctx.open<typename Tile::front>(port::south)},
        north{ctx.open<typename Tile::front>(port::north)},
        down{ctx.open<typename Tile::level>(port::down)},
        up{ctx.open<typename Tile::level>(port::up)} {}

  void commit(perdure::block_context& ctx) const {
    ctx.commit(west);
    ctx.commit(east);
    ctx.commit(south);
    ctx.commit(north);
    ctx.commit(down);
    ctx.commit(up);
  }

  /// Where lanes are loops: of a row of cells, [nx], all that is some neighbour's.
  void fill_row(const float* cells, std::size_t y, std::size_t z) const {
    west->p[Tile::in_side(y, z)] = cells[0];
    east->p[Tile::in_side(y, z)] = cells[nx - 1];
    const auto copy = [cells](float* to) {
      for (std::size_t x = 0; x < nx; ++x) to[x] = cells[x];
    };
    if (y == 0) copy(&south->p[z * nx]);
    if (y == ny - 1) copy(&north->p[z * nx]);
    if (z == 0) copy(&down->p[y * nx]);
    if (z == nz - 1) copy(&up->p[y * nx]);
  }

  /// To a cell of the present field. @param cell  its place there.  @param filled  what has been filled with it, too; null, or a
  /// tile's that passes by
  static void add(Tile& tile, std::size_t cell, float value, const open_faces* filled) {
    float& p = tile.present()[cell];
    p += value;
    if constexpr (Tile::streamed) {
      if (filled != nullptr) filled->put(cell, p);
    }
  }
  /// This cell, if it is some neighbour's, of a field with nothing beside its cells.
  void put(std::size_t cell, float value) const {
    static_assert(Tile::streamed);
    const std::size_t x = cell % nx, y = cell / nx % ny, z = cell / (nx * ny);
    if (x == 0 && west) west->p[Tile::in_side(y, z)] = value;
    if (x == nx - 1 && east) east->p[Tile::in_side(y, z)] = value;
    if (y == 0 && south) south->p[z * nx + x] = value;
    if (y == ny - 1 && north) north->p[z * nx + x] = value;
    if (z == 0 && down) down->p[y * nx + x] = value;
    if (z == nz - 1 && up) up->p[y * nx + x] = value;
  }

  /// Of a field. @tparam Turn  the present one's number
  template <std::size_t Turn>
  void fill(const Tile& tile, perdure::block_context& ctx) const {
    if constexpr (perdure::lanes_are_threads() && Tile::by_groups) {
      constexpr std::size_t to_level = Tile::to_level, ends = Tile::ends;
      ctx.then_each<Tile::nx, Tile::ny / Tile::to_level>(
          tile, [&](Tile& me, std::size_t x, std::size_t by, int) {
            const auto& p = me.pressure[Turn];
            std::array<float, ends> end{};  // other lanes'
            Tile::each_end(x, by, [&](auto k, std::size_t y, std::size_t z, bool is_east) {
              end[k] = p[at(is_east ? nx - 1 : 0, y, z)];
            });
            const auto mine = me.columns_of(ctx);
            const auto cell = [&](std::size_t r, std::size_t z) {
              return me.template own<Turn>(mine, at(x, by * to_level + r, z), z * to_level + r);
            };
            if (by == 0) each<nz>([&](auto z) { south->p[z * nx + x] = cell(0, z); });
            if (by == ny / to_level - 1)
              each<nz>([&](auto z) { north->p[z * nx + x] = cell(to_level - 1, z); });
            each<to_level>([&](auto r) {
              down->p[(by * to_level + r) * nx + x] = cell(r, 0);
              up->p[(by * to_level + r) * nx + x] = cell(r, nz - 1);
            });
            Tile::each_end(x, by, [&](auto k, std::size_t y, std::size_t z, bool is_east) {
              (is_east ? east : west)->p[Tile::in_side(y, z)] = end[k];
            });
          });
    } else if constexpr (perdure::lanes_are_threads() && Tile::streamed) {
      ctx.then_each<nx, ny>(tile, [&](Tile& me, std::size_t x, std::size_t y, int) {
        const auto& p = me.pressure[Turn];
        if (down) down->p[y * nx + x] = p[at(x, y, 0)];
        if (up) up->p[y * nx + x] = p[at(x, y, nz - 1)];
      });
      ctx.then_each<nx, nz>(tile, [&](Tile& me, std::size_t x, std::size_t z, int) {
        const auto& p = me.pressure[Turn];
        if (south) south->p[z * nx + x] = p[at(x, 0, z)];
        if (north) north->p[z * nx + x] = p[at(x, ny - 1, z)];
      });
      ctx.then_each<ny, nz>(tile, [&](Tile& me, std::size_t y, std::size_t z, int) {
        const auto& p = me.pressure[Turn];
        if (west) west->p[Tile::in_side(y, z)] = p[at(0, y, z)];
        if (east) east->p[Tile::in_side(y, z)] = p[at(nx - 1, y, z)];
      });
    } else if constexpr (perdure::lanes_are_threads()) {
      ctx.then_each<Tile::nx, Tile::nz>(tile, [&](Tile& me, std::size_t a, std::size_t z, int) {
        const auto& p = me.pressure[Turn];
        constexpr std::size_t parts = ny / nz;  // of a level
        const float w = p[at(0, a, z)], e = p[at(nx - 1, a, z)];
        const float s = p[at(a, 0, z)], n = p[at(a, ny - 1, z)];
        std::array<float, parts> d, u;
        each<parts>([&](auto h) {
          d[h] = p[at(a, z + h * nz, 0)];
          u[h] = p[at(a, z + h * nz, nz - 1)];
        });
        west->p[Tile::in_side(a, z)] = w;
        east->p[Tile::in_side(a, z)] = e;
        south->p[z * nx + a] = s;
        north->p[z * nx + a] = n;
        each<parts>([&](auto h) {
          down->p[(z + h * nz) * nx + a] = d[h];
          up->p[(z + h * nz) * nx + a] = u[h];
        });
      });
    } else {
      ctx.for_each<Tile::ny, Tile::nz>(tile, [&](Tile& me, std::size_t y, std::size_t z, int) {
        fill_row(&me.pressure[Turn][at(0, y, z)], y, z);
      });
    }
  }
};

}  // namespace wavesim3d
