// apps/wavesim3d/tile_geometry.hpp - where a tile's cells lie, in its fields and among its lanes, and the shapes of its faces.
// Why: what is known of them when a program is compiled needs no tile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <type_traits>
#include <utility>

#include <perdure/actor.hpp>

#include "tile_shape.hpp"

namespace wavesim3d {

/// f(0), f(1), ... as constants, one after the other: a lane's cells in its columns must be named by constants.
/// Always inline: a compiler that leaves one of these calls keeps all columns in memory.
template <std::size_t Count, class F>
__attribute__((always_inline)) inline void each(F f) {
  [&]<std::size_t... I>(std::index_sequence<I...>) __attribute__((always_inline)) {
    (f(std::integral_constant<std::size_t, I>{}), ...);
  }(std::make_index_sequence<Count>{});
}

/// Base of wave_tile, with nothing in it.
template <class Self, class Shape, bool Roomy, bool Streamed>
struct tile_geometry : perdure::block_actor<Self> {
  static constexpr int lanes = Shape::lanes;
  static constexpr int nx = Shape::nx, ny = Shape::ny, nz = Shape::nz;  ///< cells
  /// Of a field, in cells; where there is room, odd, so that the cells of a column lie in different banks.
  /// What lies beside a streamed tile's cells is not in its field: each byte of a page of memory that is opened is one of a cell.
  static constexpr std::size_t beside = Streamed ? 0 : 1;
  static constexpr std::size_t row = nx + beside * (Roomy ? 3 : 2), plane = row * (ny + 2 * beside);
  /// Place of cell (x, y, z); next to it lie its neighbours' at distances 1, row and plane, those of a streamed tile if they
  /// are its own.
  static constexpr std::size_t at(std::size_t x, std::size_t y, std::size_t z) {
    return z * plane + (y + beside) * row + x + beside;
  }
  struct side {  ///< of x: [ny][nz], a group's rows in one piece, or [nz][ny]: in_side()
    std::array<float, ny * nz> p;
  };
  struct front {  ///< of y: [nz][nx]
    std::array<float, nx * nz> p;
  };
  struct level {  ///< of z: [ny][nx]
    std::array<float, nx * ny> p;
  };
  static_assert(Streamed || (ny % nz == 0 && ny <= nx && nx * ny % lanes == 0));

  static constexpr std::size_t to_level =
      nx * ny / lanes;  ///< of a lane's cells, from one to that above it
  /// The row of the k-th cell of a lane to whom a region gives row `y`. Of each level a lane gets to_level rows; where it
  /// has columns they are made neighbours here, so that half of what their sums need is its own.
  static constexpr std::size_t row_of(std::size_t y, std::size_t k) {
    constexpr std::size_t apart = ny / to_level;
    if (!perdure::lanes_are_threads()) return y;
    return (y - k % to_level * apart) * to_level + k % to_level;
  }

  /// Where lanes are loops, inside a region over rows, [nz][ny], which lanes take in turn: which of a lane's cells the row's first
  /// one is, and how many lanes behind the one at hand its own is. Values of neighbouring lanes lie side by side there.
  struct row_at_hand {
    std::size_t k;
    std::ptrdiff_t lanes_on;
  };
  static constexpr row_at_hand first_of_row(std::size_t y, std::size_t z) {
    constexpr std::size_t all = Shape::lanes;
    const std::size_t number = z * ny + y, first = number * nx;
    return {first / all,
            static_cast<std::ptrdiff_t>(first % all) - static_cast<std::ptrdiff_t>(number % all)};
  }

  /// Where lanes are threads, each group of them takes and fills what is its rows', so that the block need not meet in
  /// between. Not if rows are many levels high: the groups of the first row and the last one would have most of it.
  static constexpr bool by_groups = !Streamed && nz < nx;
  static constexpr std::size_t in_side(std::size_t y, std::size_t z) {
    return perdure::lanes_are_threads() && by_groups ? y * nz + z : z * ny + y;
  }
  /// Where lanes are threads, inside a region over [ny / to_level][nx]: f(k, y, z, east) for the k-th of the row ends that
  /// are the lane's. They are of its group's rows.
  static constexpr std::size_t ends = (2 * to_level * nz + nx - 1) / nx;
  template <class F>
  __attribute__((always_inline)) static void each_end(std::size_t x, std::size_t by, F f) {
    each<ends>([&](auto k) __attribute__((always_inline)) {
      const std::size_t j = k * nx + x;
      if (ends * nx > 2 * to_level * nz && j >= 2 * to_level * nz) return;
      f(k, by * to_level + j / (2 * nz), j % nz, j / nz % 2 != 0);
    });
  }

  /// Where lanes are loops: the next pressures of a row, from the rows around it.
  template <class Next>
  static void advance_row(float* __restrict__ past, const float* __restrict__ now,
                          const float* __restrict__ before, const float* __restrict__ behind,
                          const float* __restrict__ under, const float* __restrict__ above,
                          const Next& next) {
    for (std::size_t x = 0; x < nx; ++x) {
      const float sum = *(now + x - 1) + now[x + 1] + before[x] + behind[x] + under[x] + above[x];
      past[x] = next(x, sum, now[x], past[x]);
    }
  }
  /// The same between ends that do not lie beside it. Both are worked out apart: a copy with the ends around it would be read
  /// while it is still being written. Not inlined: a compiler forgets there that no two of these rows are the same memory.
  template <class Next>
  [[gnu::noinline]] static void advance_row_between(
      float west, float east, float* __restrict__ past, const float* __restrict__ now,
      const float* __restrict__ before, const float* __restrict__ behind,
      const float* __restrict__ under, const float* __restrict__ above, const Next& next) {
    constexpr std::size_t end = nx - 1;
    const float in_west = west + now[1] + before[0] + behind[0] + under[0] + above[0];
    const float in_east = now[end - 1] + east + before[end] + behind[end] + under[end] + above[end];
    const float first = next(0, in_west, now[0], past[0]);
    const float last = next(end, in_east, now[end], past[end]);
    for (std::size_t x = 1; x < end; ++x) {
      const float sum = now[x - 1] + now[x + 1] + before[x] + behind[x] + under[x] + above[x];
      past[x] = next(x, sum, now[x], past[x]);
    }
    past[0] = first;
    past[end] = last;
  }
  using field = std::array<float, plane * nz>;  ///< [nz][ny + 2 * beside][row]
};

}  // namespace wavesim3d
