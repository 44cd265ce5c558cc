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

  /// Of a field. @tparam Turn  the present one's number
  template <std::size_t Turn>
  void fill(const Tile& tile, perdure::block_context& ctx) const {
    if constexpr (perdure::lanes_are_threads()) {
      ctx.then_each<Tile::nx, Tile::nz>(tile, [&](Tile& me, std::size_t a, std::size_t z, int) {
        const auto& p = me.pressure[Turn];
        const std::size_t i = z * nx + a, j = z * ny + a;
        constexpr std::size_t parts = ny / nz;  // of a level
        const bool also = nx == ny || a < ny;
        const float w = also ? p[at(0, a, z)] : 0, e = also ? p[at(nx - 1, a, z)] : 0;
        const float s = p[at(a, 0, z)], n = p[at(a, ny - 1, z)];
        std::array<float, parts> d, u;
        each<parts>([&](auto h) {
          d[h] = p[at(a, z + h * nz, 0)];
          u[h] = p[at(a, z + h * nz, nz - 1)];
        });
        if (also) west->p[j] = w;
        if (also) east->p[j] = e;
        south->p[i] = s;
        north->p[i] = n;
        each<parts>([&](auto h) {
          down->p[i + h * nx * nz] = d[h];
          up->p[i + h * nx * nz] = u[h];
        });
      });
    } else {
      ctx.for_each<Tile::ny, Tile::nz>(tile, [&](Tile& me, std::size_t y, std::size_t z, int) {
        const auto& p = me.pressure[Turn];
        west->p[z * ny + y] = p[at(0, y, z)];
        east->p[z * ny + y] = p[at(nx - 1, y, z)];
      });
      ctx.for_each<Tile::nx, Tile::nz>(tile, [&](Tile& me, std::size_t x, std::size_t z, int) {
        const auto& p = me.pressure[Turn];
        south->p[z * nx + x] = p[at(x, 0, z)];
        north->p[z * nx + x] = p[at(x, ny - 1, z)];
      });
      ctx.for_each<Tile::nx, Tile::ny>(tile, [&](Tile& me, std::size_t x, std::size_t y, int) {
        const auto& p = me.pressure[Turn];
        down->p[y * nx + x] = p[at(x, y, 0)];
        up->p[y * nx + x] = p[at(x, y, nz - 1)];
      });
    }
  }
};

}  // namespace wavesim3d
