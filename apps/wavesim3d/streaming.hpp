// apps/wavesim3d/streaming.hpp - a step of a tile whose fields stay in the device's memory: its lanes go up through the levels,
//                                and what leaves for the neighbours is filled on the way.
// Why: a field that goes to the chip and back moves 16 bytes a cell and visit and computes nothing meanwhile; one that passes
//      by moves 12, and the levels ahead are on their way while one is computed.
// Invariant: where lanes are threads. A lane has four cells of one row of each level; what its cells' neighbours in x and y are
//            it reads from the field, or from what has come where they are another tile's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <perdure/actor.hpp>

#include "tile_faces.hpp"
#include "tile_geometry.hpp"

namespace wavesim3d {

/// Cells side by side in x, moved as one word.
struct alignas(16) four_cells {
  float p[4];
};
inline four_cells four_at(const float* at) { return *reinterpret_cast<const four_cells*>(at); }
inline void put_four(float* at, const four_cells& four) {
  *reinterpret_cast<four_cells*>(at) = four;
}

/// Where a row of neighbours, or a cell, is found level by level.
struct passing {
  const float* at;
  std::size_t on;  ///< from one level to the next
  const float* of(std::size_t z) const { return at + z * on; }
};

/// @tparam Tile  wave_tile with keeps::memory
template <class Tile>
struct streamed_step {
  static constexpr std::size_t nx = Tile::nx, ny = Tile::ny, nz = Tile::nz;
  static constexpr std::size_t row = Tile::row, plane = Tile::plane;
  static constexpr std::size_t ahead = 3;  ///< levels that are on their way
  static constexpr std::size_t ring = ahead + 1;
  // what has come; in x and y, null: nothing
  const float *west, *east, *south, *north, *below, *above;
  static_assert(nz % ring == 0 && nz > ahead && nx % 4 == 0 && row % 4 == 0);

  /// p(n+1) of all cells. @param in  what has come.  @param odd  number of the present field.  @param out  gets the faces of
  /// p(n+1), or null
  static void take(const Tile& tile, const typename Tile::faces& in, bool odd,
                   perdure::block_context& ctx, const open_faces<Tile>* out) {
    using port = typename Tile::port;
    using side = typename Tile::side;
    using front = typename Tile::front;
    if (odd) tile.derived().template before_step<1>(ctx);
    if (!odd) tile.derived().template before_step<0>(ctx);
    const streamed_step step{tile.template side_at<side>(in, port::west),
                             tile.template side_at<side>(in, port::east),
                             tile.template side_at<front>(in, port::south),
                             tile.template side_at<front>(in, port::north),
                             tile.level_at(in, port::down),
                             tile.level_at(in, port::up)};
    if (out != nullptr) step.template pass<true>(tile, odd, ctx, out);
    if (out == nullptr) step.template pass<false>(tile, odd, ctx, out);
  }

 private:
  template <bool Fills>
  void pass(const Tile& tile, bool odd, perdure::block_context& ctx,
            const open_faces<Tile>* out) const {
    ctx.then_each<nx / 4, ny>(tile, [&](Tile& me, std::size_t q, std::size_t y, int) {
      const std::size_t first = Tile::at(4 * q, y, 0);
      column<Fills>(me, &me.pressure[odd ? 1 : 0][first], &me.pressure[odd ? 0 : 1][first], q, y,
                    out);
    });
  }

  struct edges {
    four_cells south, north;
    float west, east;
  };
  /// @param now, past  the lane's cells of level 0.
  template <bool Fills>
  __attribute__((always_inline)) void column(Tile& me, const float* now, float* past, std::size_t q,
                                             std::size_t y, const open_faces<Tile>* out) const {
    const bool first_x = q == 0, last_x = q == nx / 4 - 1, first_y = y == 0, last_y = y == ny - 1;
    const std::size_t x = 4 * q;
    passing w{now - 1, plane}, e{now + 4, plane}, s{now - row, plane}, n{now + row, plane};
    if (first_x && west != nullptr) w = {west + y, ny};
    if (last_x && east != nullptr) e = {east + y, ny};
    if (first_y && south != nullptr) s = {south + x, nx};
    if (last_y && north != nullptr) n = {north + x, nx};
    const float* high = above + y * nx + x;
    auto laws = me.derived().template laws_of_column<ring>(x, y);
    four_cells here[ring], old[ring], under = four_at(below + y * nx + x);
    edges next{four_at(s.at), four_at(n.at), *w.at, *e.at};
    each<ahead>([&](auto z) __attribute__((always_inline)) {
      here[z] = four_at(now + z * plane);
      old[z] = four_at(past + z * plane);
      laws.ask(z, z);
    });
#if defined(__CUDACC_RTC__)
#pragma unroll 1
#endif
    for (std::size_t z0 = 0; z0 < nz; z0 += ring) {
      each<ring>([&](auto k) __attribute__((always_inline)) {
        const std::size_t z = z0 + k, far = z + ahead;
        constexpr std::size_t behind = (k + ahead) % ring;
        here[behind] = four_at(far < nz ? now + far * plane : high);
        old[behind] = four_at(past + (far < nz ? far : z) * plane);
        laws.ask(behind, far < nz ? far : z);
        const edges at = next;
        const std::size_t up = z + 1 < nz ? z + 1 : z;
        next = {four_at(s.of(up)), four_at(n.of(up)), *w.of(up), *e.of(up)};
        const four_cells &p = here[k], &over = here[(k + 1) % ring];
        four_cells value;
        each<4>([&](auto r) __attribute__((always_inline)) {
          float west_of = at.west, east_of = at.east;
          if constexpr (r > 0) west_of = p.p[r - 1];
          if constexpr (r < 3) east_of = p.p[r + 1];
          value.p[r] = west_of + east_of + at.south.p[r] + at.north.p[r] + under.p[r] + over.p[r];
        });
        laws.follow(me.derived(), k, p, old[k], value);
        put_four(past + z * plane, value);
        if constexpr (Fills) {
          if (first_x) out->west->p[Tile::in_side(y, z)] = value.p[0];
          if (last_x) out->east->p[Tile::in_side(y, z)] = value.p[3];
          if (first_y) put_four(&out->south->p[z * nx + x], value);
          if (last_y) put_four(&out->north->p[z * nx + x], value);
          if (z == 0) put_four(&out->down->p[y * nx + x], value);
          if (z == nz - 1) put_four(&out->up->p[y * nx + x], value);
        }
        under = p;
      });
    }
  }
};

}  // namespace wavesim3d
