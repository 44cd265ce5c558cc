// apps/wavesim3d/tile.hpp - what every tile does: a piece of the wave field as one wide actor, which exchanges faces with
//                            its neighbours through links, adds sources and records receivers.
// Why: the field stays where the arithmetic is, from step to step; nobody waits for more than six neighbours.
// Invariant: after n steps pressure[n & 1] holds p(n) and the other p(n-1); where lanes are threads so do their columns,
//            even and odd. Of a tile that keeps one, pressure[0] holds p(n) and the column odd p(n-1): one_field.hpp. Cells
//            outside the grid are 0. How a step is computed is the derived actor's: uniform.hpp, laboratory.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <perdure/actor.hpp>

#include "tile_faces.hpp"
#include "tile_geometry.hpp"
#include "tile_messages.hpp"
#include "tile_sides.hpp"
#include "streaming.hpp"

namespace wavesim3d {

/// @tparam Self  the actor: its on(faces) calls take_step(), which asks it for before_step(), add_shapes(), above(), its law
/// @tparam Shape  large_shape, small_shape or cube_shape
/// @tparam Roomy  some 6 KiB of chip more: faces in x meet half as often at one bank, and one that nobody sends is of zeros
/// @tparam Kept  with `one` exchange_fields(), begin_past() are asked, too: one_field.hpp.
template <class Self, class Shape, bool Roomy, keeps Kept>
struct wave_tile : tile_geometry<Self, Shape, Roomy, Kept == keeps::memory> {
  static constexpr bool streamed = Kept == keeps::memory;
  using geometry = tile_geometry<Self, Shape, Roomy, streamed>;
  static constexpr bool roomy = Roomy;
  using geometry::at;
  // by value: GCC 12 does not find names of a using-declaration in a generic lambda
  static constexpr int lanes = geometry::lanes, nx = geometry::nx, ny = geometry::ny,
                       nz = geometry::nz;
  static constexpr std::size_t row = geometry::row, plane = geometry::plane,
                               to_level = geometry::to_level;
  using typename geometry::field;
  using typename geometry::side, typename geometry::front, typename geometry::level;
  static constexpr int most = streamed ? 16 : 4;  ///< sources, and receivers, of one tile
  static constexpr bool one_field = Kept == keeps::one;
  enum class port { west, east, south, north, down, up, self };
  using faces = perdure::joined<side, front, level, go>;

  alignas(streamed ? 16 : 4) std::array<
      field, one_field ? 1 : 2> pressure;  ///< for neighbours in x and y, and for all others
  float past_ratio = 0;                    ///< p(-1) / p(0)
  std::int32_t used_x = nx, used_y = ny, used_z = nz;  ///< cells inside the grid
  std::uint32_t step = 0;  ///< modulo 2^32: a live view may run for days
  std::int32_t left = 0;
  std::uint32_t sources = 0, receivers = 0;
  bool trimmed = false;   ///< cells outside the grid are set back to 0 after each step
  bool in_turns = false;  ///< two steps at a time
  bool loaded = false;    ///< the lanes have their columns
  bool plain = true;      ///< no step needs finish_step()
  std::array<source, most> source_at;
  std::array<receiver, most> receiver_at;
  std::array<trace, most> traces;
  perdure::ref<perdure::host<trace>> listener;
  struct nothing {};
  /// Of a neighbour that is not there: 0. A tile that keeps one field has no room for it.
  alignas(streamed ? 16 : 4) std::conditional_t<one_field, nothing, level> no_level;
  std::array<float, Roomy ? nx * nz : 1> no_side{};  ///< the same
  template <bool There>
  using column =
      std::conditional_t<There, perdure::per_lane<std::array<float, nx * ny * nz / lanes>>,
                         nothing>;
  /// The lane's own columns. Last, so that a derived actor's values of a lane stand behind them.
  column<Kept == keeps::columns> even;
  column<Kept == keeps::columns || one_field> odd;

  std::size_t now() const { return one_field ? 0 : static_cast<std::size_t>(step & 1U); }
  /// Of the field behind the one of this number.
  static constexpr std::size_t behind(std::size_t turn) { return one_field ? 0 : turn ^ 1U; }
  field& present() { return pressure[now()]; }
  const field& present() const { return pressure[now()]; }

  void on(const advance& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](wave_tile& me) {
      me.left = m.steps;
      me.in_turns = m.turns != 0;
      me.plain = !trimmed && sources == 0 && receivers == 0;
    });
    if constexpr (one_field) {
      if (!loaded) derived().begin_past(ctx);
    } else if (!loaded) {
      const bool first = step == 0;
      ctx.for_each<nx, ny, nz>(
          *this, [&](wave_tile& me, std::size_t x, std::size_t y, std::size_t z, std::size_t k) {
            const std::size_t i = at(x, geometry::row_of(y, k), z);
            if (first) me.pressure[1][i] = me.past_ratio * me.pressure[0][i];
            const auto mine = me.columns_of(ctx);
            me.own<0>(mine, i, k) = me.pressure[0][i];
            me.own<1>(mine, i, k) = me.pressure[1][i];
          });
    }
    if (!loaded) ctx.once(*this, [](wave_tile& me) { me.loaded = true; });
    if (m.steps > 0 && now() == 0) send_faces<0>(ctx);
    if (m.steps > 0 && now() == 1) send_faces<behind(0)>(ctx);
    if (m.steps > 0) ctx.commit(ctx.open<go>(port::self));
    if (m.turns != 0) ctx.gather(m.turns == 2 && m.steps > 1 ? 2 : 1);
  }

 protected:
  friend open_faces<wave_tile>;
  friend streamed_step<wave_tile>;
  /// A step, when all faces are there. The derived actor has its law twice. Where lanes are loops follow_row(ctx, y, z, cells)
  /// calls cells(next) once, with a function that all cells of that row follow: next(x, sum, now, past) is a cell's pressure
  /// from the sum of its six neighbours, itself and its past. Lanes that are threads go level by level: enter_level(ctx, z,
  /// laws) puts into `laws` what follow(laws, now, past, value) needs for the lane's cells of level z, whose sums stand in
  /// `value`, where it leaves their next pressures.
  void take_step(const faces& in, perdure::block_context& ctx) const {
    // asked before the cells are computed: behind that all lanes would wait for each answer, and one may have counted already
    const std::uint32_t steps = step;
    const bool is_plain = plain, takes_turns = in_turns, odd = !one_field && steps % 2 != 0;
    const std::int32_t to_go = left - 1;
    const bool fills = streamed || !perdure::lanes_are_threads();
    if (fills && to_go > 0 && (is_plain || (streamed && !trimmed)))
      return go_on_filling(in, odd, ctx, steps + 1, to_go, takes_turns, is_plain);
    advance_cells(in, odd, ctx, is_plain);
    if (!is_plain || to_go == 0) {
      ctx.once(*this, [](wave_tile& me) { ++me.step, --me.left; });
      if (!is_plain) finish_step(ctx);
    }
    if (takes_turns) ctx.gather(to_go > 1 ? 2 : 1);
    if (to_go == 0) return;
    ctx.has_read();
    const open_faces<wave_tile> out{ctx};
    if (odd) out.template fill<0>(*this, ctx);
    if (!odd) out.template fill<behind(0)>(*this, ctx);
    if (is_plain) {
      ctx.then_once(*this, [&](wave_tile& me) {
        me.step = steps + 1;
        me.left = to_go;
      });
    }
    out.commit(ctx);
    ctx.commit(ctx.open<go>(port::self));
  }
  /// Faces are filled as their cells are computed: of plain tiles where lanes are loops, of all that pass by but trimmed ones. What
  /// sources add behind that is added to what has been filled, too.
  void go_on_filling(const faces& in, bool odd, perdure::block_context& ctx,
                     std::uint32_t step_then, std::int32_t left_then, bool takes_turns,
                     bool is_plain) const {
    const open_faces<wave_tile> out{ctx};
    if (takes_turns) ctx.gather(left_then > 1 ? 2 : 1);
    advance_cells(in, odd, ctx, is_plain, &out);
    ctx.has_read();
    if (is_plain) {
      ctx.then_once(*this, [&](wave_tile& me) {
        me.step = step_then;
        me.left = left_then;
      });
    } else {
      ctx.once(*this, [](wave_tile& me) { ++me.step, --me.left; });
      finish_step(ctx, &out);
    }
    out.commit(ctx);
    ctx.commit(ctx.open<go>(port::self));
  }
  const Self& derived() const { return static_cast<const Self&>(*this); }
  template <std::size_t Turn>
  void send_faces(perdure::block_context& ctx) const {
    const open_faces<wave_tile> out{ctx};
    out.template fill<Turn>(*this, ctx);
    out.commit(ctx);
  }

  /// The lane's own columns, asked for once: a compiler gives up who asks for each cell anew, and keeps them in memory.
  template <class Even, class Odd>
  struct columns {
    Even even;
    Odd odd;
  };
  auto columns_of(perdure::block_context& ctx) const {
    if constexpr (Kept == keeps::columns) {
      return columns{even(ctx), odd(ctx)};
    } else if constexpr (one_field) {
      return columns{nothing{}, odd(ctx)};
    } else {
      return nothing{};
    }
  }
  /// The lane's k-th cell of a field, which lies at `i`: from its columns, if they are faster, or alone have it.
  template <std::size_t Turn, class Columns>
  float& own(const Columns& mine, std::size_t i, std::size_t k) {
    if constexpr (one_field && Turn == 1) {
      return mine.odd[k];
    } else {
      if constexpr (Kept == keeps::columns) {
        if (perdure::lanes_are_threads()) return Turn == 0 ? mine.even[k] : mine.odd[k];
      }
      return pressure[Turn][i];
    }
  }
  /// Where lanes are loops, inside a region over rows, [nz][ny]: a row of the field behind that of this number.
  template <std::size_t Turn>
  float* row_behind(perdure::block_context& ctx, std::size_t y, std::size_t z) {
    if constexpr (one_field) {
      const auto first = geometry::first_of_row(y, z);
      return &odd(ctx)[first.k] + first.lanes_on;
    } else {
      return &pressure[Turn ^ 1][at(0, y, z)];
    }
  }

  /// p(n+1) of all cells. @param odd  n & 1, where there are two fields.  @param faces_follow  nothing but faces of them
  /// follows.  @param out  gets them, where lanes are loops or pass by
  void advance_cells(const faces& in, bool odd, perdure::block_context& ctx, bool faces_follow,
                     const open_faces<wave_tile>* out = nullptr) const {
    if constexpr (streamed) {
      if (perdure::lanes_are_threads())
        return streamed_step<wave_tile>::take(*this, in, odd, ctx, out);
    }
    if constexpr (one_field) {
      advance_from<0>(in, ctx, false, out);
      derived().exchange_fields(ctx);
    } else if (odd) {
      advance_from<1>(in, ctx, faces_follow, out);
    } else {
      advance_from<0>(in, ctx, faces_follow, out);
    }
  }
  template <std::size_t Turn>
  void advance_from(const faces& in, perdure::block_context& ctx, bool faces_follow,
                    const open_faces<wave_tile>* out) const {
    const tile_sides<wave_tile> around{side_at<side>(in, port::west), side_at<side>(in, port::east),
                                       side_at<front>(in, port::south),
                                       side_at<front>(in, port::north)};
    if (perdure::lanes_are_threads()) around.template take<Turn>(*this, ctx);
    derived().template before_step<Turn>(ctx);
    const float* below = level_at(in, port::down);
    const float* over = level_at(in, port::up);
    if constexpr (!streamed) {
      if (perdure::lanes_are_threads()) {  // no `if constexpr`: a host must see what a device needs
        if (faces_follow && geometry::by_groups) ctx.keeps_to_groups();
        ctx.then_each<nx, ny / to_level>(
            *this, [&](wave_tile& me, std::size_t x, std::size_t by, int) {
              const std::size_t first = by * to_level * nx + x;
              me.advance_column<Turn>(ctx, at(x, by * to_level, 0), below, over, first);
            });
        return;
      }
    }
    const std::array<float, nx> zeros{};
    ctx.for_each<ny, nz>(*this, [&](wave_tile& me, std::size_t y, std::size_t z, int) {
      float* now = &me.pressure[Turn][at(0, y, z)];
      if (!streamed && y == 0) around.take_ends(now, z);  // all its ends: a store takes a while
      float* past = me.row_behind<Turn>(ctx, y, z);
      const auto row_at = [&](const float* p) { return is_level(p) ? p + y * nx : zeros.data(); };
      const float* under = z > 0 ? now - plane : row_at(below);
      const float* above = z < nz - 1 ? now + plane : row_at(over);
      me.derived().follow_row(ctx, y, z, [&](const auto& next) {
        around.advance_row(past, now, y, z, under, above, next);
      });
      if (out != nullptr) out->fill_row(past, y, z);
    });
  }

  /// Of one level, what a lane's cells there are computed from, but for the levels below and above.
  struct surroundings {
    std::array<float, to_level> own, west, east, past;
    float south, north;
  };
  /// @param i  place of the lane's first cell of level 0.
  template <std::size_t Turn, std::size_t Z, class Columns>
  void look_around(const Columns& mine, std::size_t i, surroundings& s) {
    const field& p = pressure[Turn];
    const std::size_t here = i + Z * plane;
    each<to_level>([&](auto r) {
      s.own[r] = own<Turn>(mine, here + r * row, Z * to_level + r);
      s.past[r] = own<1 - Turn>(mine, here + r * row, Z * to_level + r);
      s.west[r] = p[here + r * row - 1];
      s.east[r] = p[here + r * row + 1];
    });
    s.south = p[here - row];
    s.north = p[here + to_level * row];
  }
  /// All cells of one lane, level by level. What a level needs is read before the level below it is written: a compiler
  /// does not move reads across writes, and a lane would wait for each cell by itself.
  /// @param low, high  the levels below and above.  @param first  the lane's place there; on by rows of nx.
  template <std::size_t Turn>
  __attribute__((always_inline)) void advance_column(perdure::block_context& ctx, std::size_t i,
                                                     const float* low, const float* high,
                                                     std::size_t first) {
    std::array<float, to_level> below, value;
    surroundings here, above;
    typename Self::level_laws laws;
    each<to_level>([&](auto r) { below[r] = is_level(low) ? low[first + r * nx] : 0.0F; });
    const auto mine = columns_of(ctx);
    look_around<Turn, 0>(mine, i, here);
    each<std::size_t{nz}>([&](auto z) {
      if constexpr (z + 1 < nz) {
        look_around<Turn, z + 1>(mine, i, above);
      } else {
        each<to_level>(
            [&](auto r) { above.own[r] = is_level(high) ? high[first + r * nx] : 0.0F; });
      }
      derived().enter_level(ctx, z, laws);
      each<to_level>([&](auto r) {
        float south = here.south, north = here.north;
        if constexpr (r > 0) south = here.own[r - 1];
        if constexpr (r + 1 < to_level) north = here.own[r + 1];
        value[r] = here.west[r] + here.east[r] + south + north + below[r] + above.own[r];
      });
      derived().follow(laws, here.own, here.past, value);
      each<to_level>([&](auto r) {
        const std::size_t at = i + z * plane + r * row;
        own<Turn ^ 1>(mine, at, z * to_level + r) = value[r];
        if constexpr (!one_field) pressure[Turn ^ 1][at] = value[r];
      });
      each<to_level>([&](auto r) {  // by hand: an assignment would copy arrays as bytes
        below[r] = here.own[r];
        here.own[r] = above.own[r];
        here.past[r] = above.past[r];
        here.west[r] = above.west[r];
        here.east[r] = above.east[r];
      });
      here.south = above.south;
      here.north = above.north;
    });
  }
  /// What few tiles have to do after a step. @param filled  with its faces already, or null
  void finish_step(perdure::block_context& ctx,
                   const open_faces<wave_tile>* filled = nullptr) const {
    const std::size_t turn = now();
    if (trimmed) {
      const auto ux = static_cast<std::size_t>(used_x), uy = static_cast<std::size_t>(used_y),
                 uz = static_cast<std::size_t>(used_z);
      ctx.for_each<nx, ny, nz>(
          *this, [&](wave_tile& me, std::size_t x, std::size_t y, std::size_t z, int) {
            if (x >= ux || y >= uy || z >= uz) me.pressure[turn][at(x, y, z)] = 0.0F;
          });
    }
    if (sources != 0) {
      ctx.once(*this, [&](wave_tile& me) { me.add_sources(filled); });
      derived().add_shapes(ctx, filled);
    }
    if constexpr (Kept == keeps::columns) {
      const bool stale = perdure::lanes_are_threads() && (trimmed || sources != 0);
      if (stale && turn == 0) refresh_columns<0>(ctx);
      if (stale && turn == 1) refresh_columns<1>(ctx);
    }
    if (receivers != 0) record(ctx);
  }

  /// What was written to a field goes to the lanes' columns.
  template <std::size_t Turn>
  void refresh_columns(perdure::block_context& ctx) const {
    ctx.for_each<nx, ny, nz>(
        *this, [&](wave_tile& me, std::size_t x, std::size_t y, std::size_t z, std::size_t k) {
          const std::size_t i = at(x, geometry::row_of(y, k), z);
          me.own<Turn>(me.columns_of(ctx), i, k) = me.pressure[Turn][i];
        });
  }

  template <class Side>
  const float* side_at(const faces& in, port at) const {
    if (in.linked(at)) return in.template get<Side>(at).p.data();
    if constexpr (streamed) return derived().layer_at(at);
    return Roomy ? no_side.data() : nullptr;
  }
  const float* level_at(const faces& in, port at) const {
    if (in.linked(at)) return in.template get<level>(at).p.data();
    if constexpr (one_field) {
      return nullptr;
    } else {
      return (at == port::down ? no_level : derived().above()).p.data();
    }
  }
  static bool is_level(const float* at) { return !one_field || at != nullptr; }
  void add_sources(const open_faces<wave_tile>* filled) {
    for (std::size_t s = 0; s < sources; ++s) {
      source& f = source_at[s];
      f.go_on();
      if (f.cell != source::over_a_shape)
        open_faces<wave_tile>::add(*this, f.cell, f.value, filled);
    }
  }

  void record(perdure::block_context& ctx) const {
    ctx.once(*this, [&](wave_tile& me) {
      for (std::size_t r = 0; r < me.receivers; ++r) {
        trace& t = me.traces[r];
        if (t.count == 0) t.first_step = me.step;
        t.receiver = me.receiver_at[r].id;
        t.pressure[t.count++] = me.present()[me.receiver_at[r].cell];
        if (t.count < trace::length && me.left > 0) continue;
        ctx.send(me.listener, t);
        t.count = 0;
      }
    });
  }
};

}  // namespace wavesim3d
