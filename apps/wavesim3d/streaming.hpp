// apps/wavesim3d/streaming.hpp - a step of a tile whose fields stay in the device's memory: its lanes go through the levels, and
//                                what leaves for the neighbours is filled on the way.
// Why: a field that goes to the chip and back moves 16 bytes a cell and visit, and nothing is computed meanwhile; one that passes
//      by moves 12, and the levels ahead are on their way while one is computed.
// Invariant: where lanes are threads. Cells beside a lane's own are read from the field, or from what has come where they are
//            another tile's. The even field is gone through upwards and the odd one downwards: each begins with the levels
//            that the last one has left in the cache.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include <perdure/actor.hpp>

#include "tile_faces.hpp"
#include "tile_geometry.hpp"

namespace wavesim3d {

/// Cells side by side in x, moved as one word. No array: an assignment would copy it as bytes.
struct alignas(16) four_cells {
  float p0, p1, p2, p3;
  template <std::size_t C>
  __attribute__((always_inline)) float& p() {
    if constexpr (C == 0) return p0;
    if constexpr (C == 1) return p1;
    if constexpr (C == 2) return p2;
    if constexpr (C == 3) return p3;
  }
  template <std::size_t C>
  __attribute__((always_inline)) float p() const {
    if constexpr (C == 0) return p0;
    if constexpr (C == 1) return p1;
    if constexpr (C == 2) return p2;
    if constexpr (C == 3) return p3;
  }
};
inline four_cells four_at(const float* at) { return *reinterpret_cast<const four_cells*>(at); }
inline void put_four(float* at, const four_cells& four) {
  *reinterpret_cast<four_cells*>(at) = four;
}

/// Where something is found level by level.
struct passing {
  const float* at;      ///< in the level in hand
  std::ptrdiff_t on;    ///< from one level to the next
  std::size_t row = 0;  ///< and from one row to the next
  void go_on() { at += on; }
};

/// Where a lane puts what leaves for the neighbours: level by level what is theirs of its rows, and all of its first level and
/// its last one. Null: nothing. A lane has one end of a row and one outermost row at the most.
struct leaving {
  float *side, *front;  ///< of the level in hand
  float *first, *last;
  std::ptrdiff_t on_side, on_front;  ///< from one level to the next
};

/// @tparam Tile  wave_tile with keeps::memory
template <class Tile>
struct streamed_step {
  static constexpr std::size_t nx = Tile::nx, ny = Tile::ny, nz = Tile::nz;
  static constexpr std::size_t row = Tile::row, plane = Tile::plane;
  static constexpr std::size_t rows = column_shape<Tile>::rows;  ///< of a lane
  static constexpr std::size_t ring = column_shape<Tile>::ring;
  static constexpr std::size_t ahead = 3;  ///< levels that are on their way
  static_assert(nz % ring == 0 && ring > ahead && nx % 4 == 0 && row % 4 == 0 && ny % rows == 0);
  // what has come, or the layers behind the grid's ends
  const float *west, *east, *south, *north, *below, *above;

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
    if (!odd) step.template pass<true>(tile, ctx, out);
    if (odd) step.template pass<false>(tile, ctx, out);
  }

 private:
  /// @tparam Up  the even field's way; the odd one's is down
  template <bool Up>
  void pass(const Tile& tile, perdure::block_context& ctx, const open_faces<Tile>* out) const {
    ctx.then_each<nx / 4, ny / rows>(tile, [&](Tile& me, std::size_t q, std::size_t by, int) {
      const std::size_t first = Tile::at(4 * q, by * rows, Up ? 0 : nz - 1);
      column<Up>(me, &me.pressure[Up ? 0 : 1][first], &me.pressure[Up ? 1 : 0][first], 4 * q,
                 by * rows, out);
    });
  }
  /// Of one level: what a lane's cells there are computed from, but for the levels below and above.
  struct surroundings {
    four_cells own[rows], past[rows], south, north;
    float west[rows], east[rows];
  };
  /// A lane on its way.
  template <bool Up>
  struct walk {
    static constexpr std::ptrdiff_t next = Up ? std::ptrdiff_t{plane} : -std::ptrdiff_t{plane};
    using laws_type =
        decltype(std::declval<const Tile&>().derived().template laws_of_column<ring, rows, Up>(0,
                                                                                               0));
    leaving out;
    std::size_t x, y;  ///< of the lane's first cell
    laws_type laws;
    passing w, e, s, n;  ///< of the level that is asked for next, as the next two
    // each by itself: where the compiler knew them for parts of one state, it asked for the levels ahead only where they are
    // used, and NVRTC 13.0 took one for the other (docs/adr/043)
    const float *asked, *old;
    float* past;          ///< of the level that is computed
    const float* beyond;  ///< the last level
    surroundings at[ring];
    four_cells under[rows];

    /// All that is of one level is asked for at once: what lanes read of each other's cells is near then.
    template <std::size_t K>
    __attribute__((always_inline)) void ask() {
      each<rows>([&](auto r) __attribute__((always_inline)) {
        at[K].own[r] = four_at(asked + r * row);
        at[K].past[r] = four_at(old + r * row);
        at[K].west[r] = w.at[r * w.row];
        at[K].east[r] = e.at[r * e.row];
      });
      at[K].south = four_at(s.at);
      at[K].north = four_at(n.at);
      asked += next;
      old += next;
      w.go_on();
      e.go_on();
      s.go_on();
      n.go_on();
    }
    template <std::size_t K, bool Last>
    __attribute__((always_inline)) void level(std::size_t z) {
      constexpr std::size_t far = (K + ahead) % ring;
      laws.template enter<K>(z + 2 * ring < nz);
      if constexpr (!Last || K + ahead < ring) {
        ask<far>();
      } else if constexpr (K + ahead == ring) {
        each<rows>([&](auto r) __attribute__((always_inline)) {
          at[far].own[r] = four_at(beyond + r * nx);
        });
      }
      four_cells value[rows];
      each<rows>([&](auto r) __attribute__((always_inline)) { sum<K, r>(value[r]); });
      laws.template follow<K>(at[K].own, at[K].past, value);
      each<rows>([&](auto r) __attribute__((always_inline)) {
        put_four(past + r * row, value[r]);
        fill<K, Last, r>(z, value[r]);
        under[r] = at[K].own[r];
      });
      if constexpr (!Last) laws.template leave<K>();
      if (out.side != nullptr) out.side += out.on_side;
      if (out.front != nullptr) out.front += out.on_front;
      past += next;
    }
    /// Of the six neighbours of the lane's cells of a row.
    template <std::size_t K, std::size_t R>
    __attribute__((always_inline)) void sum(four_cells& value) const {
      const surroundings &here = at[K], &over = at[(K + 1) % ring];
      each<4>([&](auto c) __attribute__((always_inline)) {
        float before = here.south.template p<c>(), behind = here.north.template p<c>();
        float west_of = here.west[R], east_of = here.east[R];
        if constexpr (R > 0) before = here.own[R - 1].template p<c>();
        if constexpr (R + 1 < rows) behind = here.own[R + 1].template p<c>();
        if constexpr (c > 0) west_of = here.own[R].template p<c - 1>();
        if constexpr (c < 3) east_of = here.own[R].template p<c + 1>();
        const float lower = (Up ? under[R] : over.own[R]).template p<c>();
        const float upper = (Up ? over.own[R] : under[R]).template p<c>();
        value.template p<c>() = west_of + east_of + before + behind + lower + upper;
      });
    }
    template <std::size_t K, bool Last, std::size_t R>
    __attribute__((always_inline)) void fill(std::size_t step, const four_cells& value) const {
      if (out.side != nullptr) out.side[R] = x == 0 ? value.p0 : value.p3;
      if constexpr (R == 0) {
        if (out.front != nullptr && y == 0) put_four(out.front, value);
      }
      if constexpr (R == rows - 1) {
        if (out.front != nullptr && y != 0) put_four(out.front, value);
      }
      if constexpr (K == 0) {
        if (step == 0 && out.first != nullptr) put_four(out.first + R * nx, value);
      }
      if constexpr (Last && K == ring - 1) {
        if (out.last != nullptr) put_four(out.last + R * nx, value);
      }
    }
    /// A ring of them.
    template <bool Last>
    __attribute__((always_inline)) void levels(std::size_t z) {
      each<ring>([&](auto k) __attribute__((always_inline)) { level<k, Last>(z + k); });
    }
  };

  template <bool Up>
  static leaving leaves(const open_faces<Tile>& out, std::size_t x, std::size_t y) {
    static_assert(nx > 4 && ny > rows && Tile::in_side(0, 1) == ny);
    constexpr std::size_t begin = Up ? 0 : nz - 1;
    constexpr std::ptrdiff_t up = Up ? 1 : -1;
    leaving to{
        nullptr, nullptr, nullptr, nullptr, up * std::ptrdiff_t{ny}, up * std::ptrdiff_t{nx}};
    if (x == 0 && out.west) to.side = &out.west->p[begin * ny + y];
    if (x == nx - 4 && out.east) to.side = &out.east->p[begin * ny + y];
    if (y == 0 && out.south) to.front = &out.south->p[begin * nx + x];
    if (y == ny - rows && out.north) to.front = &out.north->p[begin * nx + x];
    const auto &first = Up ? out.down : out.up, &last = Up ? out.up : out.down;
    if (first) to.first = &first->p[y * nx + x];
    if (last) to.last = &last->p[y * nx + x];
    return to;
  }
  /// @param now, past  the lane's first cell of the level where its way begins, at (x, y).
  template <bool Up>
  __attribute__((always_inline)) void column(Tile& me, float* now, float* past, std::size_t x,
                                             std::size_t y, const open_faces<Tile>* out) const {
    constexpr std::size_t begin = Up ? 0 : nz - 1;
    constexpr std::ptrdiff_t up = Up ? 1 : -1, next = up * std::ptrdiff_t{plane};
    passing w{now - 1, next, row}, e{now + 4, next, row}, s{now - row, next},
        n{now + rows * row, next};
    if (x == 0) w = {west + begin * ny + y, up * std::ptrdiff_t{ny}, 1};
    if (x == nx - 4) e = {east + begin * ny + y, up * std::ptrdiff_t{ny}, 1};
    if (y == 0) s = {south + begin * nx + x, up * std::ptrdiff_t{nx}};
    if (y == ny - rows) n = {north + begin * nx + x, up * std::ptrdiff_t{nx}};
    const float *first = (Up ? below : above) + y * nx + x,
                *last = (Up ? above : below) + y * nx + x;
    leaving to{};
    if (out != nullptr) to = leaves<Up>(*out, x, y);
    walk<Up> lane{to,
                  x,
                  y,
                  me.derived().template laws_of_column<ring, rows, Up>(x, y),
                  w,
                  e,
                  s,
                  n,
                  perdure::by_itself(now),
                  perdure::by_itself(past),
                  perdure::by_itself(past),
                  last,
                  {},
                  {}};
    each<rows>([&](auto r)
                   __attribute__((always_inline)) { lane.under[r] = four_at(first + r * nx); });
    each<ahead>([&](auto k) __attribute__((always_inline)) { lane.template ask<k>(); });
    lane.laws.begin();
#if defined(__CUDACC_RTC__)
#pragma unroll 1
#endif
    for (std::size_t z = 0; z + ring < nz; z += ring) lane.template levels<false>(z);
    lane.template levels<true>(nz - ring);
  }
};

}  // namespace wavesim3d
