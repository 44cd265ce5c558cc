// apps/wavesim3d/laboratory.hpp - the law of tiles of several materials, with damping, obstacles, absorbing walls and sources
//                                  over shapes, which also take orders between two runs of steps: medium.hpp,
//                                  small_medium.hpp, swapped_medium.hpp, cube_medium.hpp, streamed_medium.hpp.
// Why: what each cell does is one byte that the host has worked out; the step itself knows no shapes.
// Invariant: the byte names the cell's law, and the lane that computes the cell has it, since the state would not fit on an H200's
//            chip with it; of a tile that is never there the state has all of them. Cells outside the grid and in obstacles have laws that keep them at 0. Behind
//            an absorbing wall lies one layer of cells that follow first-order Mur; of the last step it is kept around
//            the older field (x, y; of streamed tiles in layers), in no_level (below) and in ceiling (above).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include <perdure/actor.hpp>

#include "column_kinds.hpp"
#include "laboratory_messages.hpp"
#include "level_kinds.hpp"
#include "tile.hpp"

namespace wavesim3d {

/// What the cells of a kind do, without the damping of the whole medium.
struct material {
  float courant2;  ///< (its speed * time step / spacing)^2; 0: the pressure stays 0
  float damping;   ///< rate * time step / 2
};
/// Cells side by side in x, of a source over a shape.
struct run {
  std::uint32_t first : 20;  ///< place
  std::uint32_t length : 8, source : 4;
};

/// @tparam Self  the actor.  @tparam Shape, Kept  see wave_tile
template <class Self, class Shape, keeps Kept>
struct laboratory_tile : wave_tile<Self, Shape, false, Kept> {
  using base = wave_tile<Self, Shape, false, Kept>;
  using base::most, base::no_level, base::pressure, base::used_x, base::used_y, base::used_z;
  using base::nx, base::ny, base::nz, base::at, base::row, base::to_level;
  using base::receivers, base::receiver_at, base::sources, base::source_at;
  using typename base::faces, typename base::field, typename base::level, typename base::port;
  static constexpr std::size_t kinds = base::one_field ? 64 : 256,
                               most_runs = base::streamed ? 4096 : 512;
  static_assert(base::plane * nz < 1UL << 20U && most <= 16, "a run names them");
  static constexpr std::uint32_t wall(port at) { return 1U << static_cast<unsigned>(at); }
  /// Where the kinds of each wall begin.
  static constexpr std::size_t behind_west = 0, behind_east = 1UL * ny * nz,
                               behind_south = 2UL * ny * nz,
                               behind_north = behind_south + 1UL * nx * nz,
                               below = behind_south + 2UL * nx * nz,
                               overhead = below + 1UL * nx * ny;
  static_assert(base::streamed ||
                (8 % to_level == 0 && nx == ground::width && ground::rows % to_level == 0));
  /// Of the lane's k-th cell: byte k % 8 of word k / 8, that is a few levels of its cells.
  std::conditional_t<base::streamed, typename base::nothing,
                     perdure::per_lane<std::array<std::uint64_t, static_cast<std::size_t>(nx) * ny *
                                                                     nz / base::lanes / 8>>>
      kind;
  /// Of a tile that is never on the chip: [nz][ny][nx].
  alignas(16) std::conditional_t<
      base::streamed, std::array<std::uint32_t, static_cast<std::size_t>(nx) * ny * nz / 4>,
      typename base::nothing> cell_kind;
  /// Of each lane and level of it, whether all cells are of one kind, and of which.
  std::conditional_t<base::streamed, level_kinds<Shape>, typename base::nothing> level_kind;
  /// Of the outermost cells of the grid in this tile: [nz][ny] of west and east, [nz][nx] of south and north, [ny][nx] of
  /// down and up. For absorbing walls, of which a tile that keeps one field knows none.
  template <class T>
  using of_walls = std::conditional_t<base::one_field, typename base::nothing, T>;
  of_walls<std::array<std::uint8_t, 2UL * nz*(nx + ny) + 2UL * nx * ny>> wall_kind;
  std::array<law, kinds> law_of;
  std::array<material, kinds> material_of;
  float damping = 0;        ///< of the whole medium: rate * time step / 2
  bool uniform = true;      ///< all cells are of kind 0
  std::uint32_t walls = 0;  ///< bits of the ports where the grid ends and absorbs
  std::uint32_t runs = 0;   ///< of sources over shapes
  std::array<run, most_runs> run_at;
  of_walls<level> ceiling;
  struct side_layers {
    typename base::side west{}, east{};
    typename base::front south{}, north{};
  };
  /// Of a streamed tile: what lies in x and y where no neighbour is.
  alignas(base::streamed
              ? 16
              : 4) std::conditional_t<base::streamed, side_layers, typename base::nothing> layers{};
  perdure::ref<perdure::host<picture_row>> viewer;

  using base::on;
  void on(const faces& in, perdure::block_context& ctx) const { this->take_step(in, ctx); }
  /// Mostly a row's cells are of one kind: then nothing is looked up.
  template <class Cells>
  void follow_row(perdure::block_context& ctx, std::size_t y, std::size_t z,
                  const Cells& cells) const {
    const auto is = kinds_of(ctx, y, z);
    if (uniform || is.alike()) {
      cells([l = law_of[is.of(0)]](std::size_t, float sum, float now, float past) {
        return next_of(l, sum, now, past);
      });
    } else {
      cells([this, is](std::size_t x, float sum, float now, float past) {
        return next_of(law_of[is.of(x)], sum, now, past);
      });
    }
  }
  /// Where lanes are loops: what the cells of a row are. Values of neighbouring lanes lie side by side there.
  struct row_kinds {
    const std::uint64_t* words;  ///< [nx]
    std::size_t shift;           ///< the row's bits in them
    std::size_t of(std::size_t x) const { return words[x] >> shift & 255U; }
    bool alike() const {
      std::uint64_t differ = 0;
      for (std::size_t x = 0; x < nx; ++x) differ |= words[x] ^ words[0];
      return (differ >> shift & 255U) == 0;
    }
  };
  /// Inside a region over rows, [nz][ny], which lanes take in turn.
  auto kinds_of(perdure::block_context& ctx, std::size_t y, std::size_t z) const {
    if constexpr (base::streamed) {
      return kinds_in_row{&cell_kind[(z * ny + y) * nx / 4]};
    } else {
      return kinds_of_lanes(ctx, y, z);
    }
  }
  struct kinds_in_row {
    const std::uint32_t* words;  ///< [nx / 4]
    std::size_t of(std::size_t x) const { return words[x / 4] >> (x % 4 * 8) & 255U; }
    bool alike() const {
      std::uint32_t differ = 0;
      const std::uint32_t first = (words[0] & 255U) * 0x01010101U;
      for (std::size_t i = 0; i < nx / 4; ++i) differ |= words[i] ^ first;
      return differ == 0;
    }
  };
  row_kinds kinds_of_lanes(perdure::block_context& ctx, std::size_t y, std::size_t z) const {
    const auto first = base::first_of_row(y, z);
    return {&kind(ctx)[first.k / 8] + first.lanes_on, first.k % 8 * 8};
  }
  static constexpr float next_of(const law& l, float sum, float now, float past) {
    return l.now * now - l.past * past + l.courant2 * (sum - l.neighbours * now);
  }
  /// The kinds of a lane's cells in a level. Each cell's law is looked up: a condition for those that are alike would part
  /// the levels' arithmetic, and reads would wait for it.
  struct level_laws {
    std::uint64_t few;  ///< levels' kinds
    std::uint32_t kinds;
  };
  static constexpr std::size_t levels_a_word = 8 / to_level;
  template <class Level>
  void enter_level(perdure::block_context& ctx, Level z, level_laws& laws) const {
    constexpr std::size_t within = z % levels_a_word;
    if (within == 0) laws.few = kind(ctx)[z / levels_a_word];
    laws.kinds = static_cast<std::uint32_t>(laws.few >> (within * to_level * 8));
  }
  template <class Cells>
  void follow(const level_laws& laws, const Cells& now, const Cells& past, Cells& value) const {
    each<to_level>([&](auto r) {
      value[r] = next_of(law_of[laws.kinds >> (r * 8) & 255U], value[r], now[r], past[r]);
    });
  }

  /// The same where lanes are threads and pass by.
  template <std::size_t Ring, std::size_t Rows, bool Up>
  column_kinds<laboratory_tile, Ring, Rows, Up> laws_of_column(std::size_t x, std::size_t y) const {
    constexpr std::size_t begin = Up ? 0 : nz - 1;
    return {law_of.data(),
            &level_kind.of[level_kind.at(x, y, begin)],
            &cell_kind[((begin * ny + y) * nx + x) / 4],
            0,
            0,
            0,
            {},
            {}};
  }

  void on(const ground& m, perdure::block_context& ctx) const {
    if constexpr (!base::streamed) lay_ground(m, ctx);
  }
  void lay_ground(const ground& m, perdure::block_context& ctx) const {
    const auto band = static_cast<std::size_t>(m.band), first = static_cast<std::size_t>(m.first);
    const auto behind = first + static_cast<std::size_t>(m.levels);
    if (perdure::
            lanes_are_threads()) {  // a band is the rows of some lanes, a word their cells of a level
      ctx.then_each<nx, ny / to_level>(
          *this, [&](laboratory_tile& me, std::size_t x, std::size_t by, int) {
            constexpr std::size_t lanes_a_band = ground::rows / to_level;
            if (by / lanes_a_band != band) return;
            const std::size_t above = by % lanes_a_band * to_level;
            std::uint64_t own = 0, all = 0;
            for (std::size_t r = 0; r < to_level; ++r) {
              own |= std::uint64_t{m.kind[(above + r) * nx + x]} << (r * 8);
              all |= std::uint64_t{255} << (r * 8);
            }
            each<std::size_t{nz}>([&](auto z) {
              if (z < first || z >= behind) return;
              constexpr std::size_t shift = z % levels_a_word * to_level * 8;
              std::uint64_t& few = me.kind(ctx)[z / levels_a_word];
              few = (few & ~(all << shift)) | own << shift;
            });
          });
      return;
    }
    ctx.for_each<nx, ny, nz>(*this, [&](laboratory_tile& me, std::size_t x, std::size_t y,
                                        std::size_t z, std::size_t k) {
      if (y / ground::rows != band || z < first || z >= behind) return;
      const std::size_t shift = k % 8 * 8;
      const std::uint64_t is = m.kind[y % ground::rows * nx + x];
      std::uint64_t& eight = me.kind(ctx)[k / 8];
      eight = (eight & ~(255UL << shift)) | is << shift;
    });
  }
  void on(const damp& m, perdure::block_context& ctx) const {
    ctx.for_each<kinds>(*this, [&](laboratory_tile& me, std::size_t k, int) {
      me.law_of[k] = law_for(me.material_of[k], me.law_of[k].neighbours, m.damping);
    });
    ctx.once(*this, [&](laboratory_tile& me) { me.damping = m.damping; });
  }
  void on(const inject& m, perdure::block_context& ctx) const {
    std::uint32_t s = 0;
    while (s < sources && !spent(s)) ++s;
    if (s < most) {
      ctx.once(*this, [&](laboratory_tile& me) {
        me.source_at[s] = m.what;
        if (s == me.sources) ++me.sources;
      });
    }
    ctx.reply(taken{s < most});
  }
  void on(const listen& m, perdure::block_context& ctx) const {
    const bool room = receivers < most;
    if (room)
      ctx.once(*this, [&](laboratory_tile& me) { me.receiver_at[me.receivers++] = m.what; });
    ctx.reply(taken{room});
  }
  void on(const unlisten& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](laboratory_tile& me) {
      for (std::size_t r = 0; r < me.receivers; ++r) {
        if (me.receiver_at[r].id == m.id) me.receiver_at[r] = me.receiver_at[--me.receivers];
      }
    });
  }
  void on(const look& m, perdure::block_context& ctx) const {
    constexpr std::size_t length = picture_row::length, pieces = nx / length;
    const auto axis = m.axis;
    const auto index = static_cast<std::size_t>(m.index);
    const std::size_t width = axis == 0 ? ny : nx, rows = axis == 2 ? ny : nz;
    ctx.for_each<pieces, (ny > nz ? ny : nz)>(
        *this, [&](laboratory_tile& me, std::size_t piece, std::size_t r, int) {
          const std::size_t a = piece * length;
          if (r >= rows || a >= width) return;
          const std::size_t first = axis == 0   ? at(index, a, r)
                                    : axis == 1 ? at(a, index, r)
                                                : at(a, r, index);
          const std::size_t next = axis == 0 ? row : 1;
          const field& p = me.present();
          picture_row out{m.tile, static_cast<std::int32_t>(a), static_cast<std::int32_t>(r), {}};
          for (std::size_t c = 0; c < length; ++c) out.pressure[c] = p[first + c * next];
          ctx.send(me.viewer, out);
        });
  }

  static constexpr law law_for(const material& m, float neighbours, float damping) {
    if (m.courant2 == 0) return law{0, 0, 0, 0};
    const float g = damping + m.damping;
    return law{2.0F / (1.0F + g), (1.0F - g) / (1.0F + g), m.courant2 / (1.0F + g), neighbours};
  }

  // what wave_tile asks for
  /// The layer behind absorbing walls, at this step: g(n) = p(n-1) + m (p(n) - g(n-1)), p being the cell before it and
  /// m = (c - 1) / (c + 1), c its Courant number. After Mur, IEEE Trans. EMC 23 (1981).
  /// Not of a tile that keeps one field: p(n-1) is another lane's.
  template <std::size_t Turn>
  void before_step(perdure::block_context& ctx) const {
    if constexpr (!base::one_field) {
      if (walls != 0) absorb_all<Turn>(ctx);
    }
  }
  template <std::size_t Turn>
  void absorb_all(perdure::block_context& ctx) const {
    const auto ux = static_cast<std::size_t>(used_x), uy = static_cast<std::size_t>(used_y),
               uz = static_cast<std::size_t>(used_z);
    ctx.for_each<ny, nz>(*this, [&](laboratory_tile& me, std::size_t y, std::size_t z, int) {
      const std::size_t i = z * ny + y;
      if ((walls & wall(port::west)) != 0) {
        const std::uint8_t k = me.wall_kind[behind_west + i];
        if constexpr (base::streamed) {
          me.absorb_in<Turn>(me.layers.west.p[i], at(0, y, z), k);
        } else {
          me.absorb<Turn>(at(0, y, z), at(0, y, z) - 1, k);
        }
      }
      if ((walls & wall(port::east)) != 0) {
        const std::uint8_t k = me.wall_kind[behind_east + i];
        if constexpr (base::streamed) {
          if (ux == nx) return me.absorb_in<Turn>(me.layers.east.p[i], at(nx - 1, y, z), k);
        }
        me.absorb<Turn>(at(ux - 1, y, z), at(ux, y, z), k);
      }
    });
    ctx.for_each<nx, nz>(*this, [&](laboratory_tile& me, std::size_t x, std::size_t z, int) {
      const std::size_t i = z * nx + x;
      if ((walls & wall(port::south)) != 0) {
        const std::uint8_t k = me.wall_kind[behind_south + i];
        if constexpr (base::streamed) {
          me.absorb_in<Turn>(me.layers.south.p[i], at(x, 0, z), k);
        } else {
          me.absorb<Turn>(at(x, 0, z), at(x, 0, z) - row, k);
        }
      }
      if ((walls & wall(port::north)) != 0) {
        const std::uint8_t k = me.wall_kind[behind_north + i];
        if constexpr (base::streamed) {
          if (uy == ny) return me.absorb_in<Turn>(me.layers.north.p[i], at(x, ny - 1, z), k);
        }
        me.absorb<Turn>(at(x, uy - 1, z), at(x, uy, z), k);
      }
    });
    const bool part = uz < nz;  // then the layer above lies in the field
    ctx.for_each<nx, ny>(*this, [&](laboratory_tile& me, std::size_t x, std::size_t y, int) {
      const std::size_t i = y * nx + x;
      if ((walls & wall(port::down)) != 0)
        me.absorb_in<Turn>(me.no_level.p[i], at(x, y, 0), me.wall_kind[below + i]);
      if ((walls & wall(port::up)) != 0) {
        const std::uint8_t k = me.wall_kind[overhead + i];
        if (part) {
          me.absorb<Turn>(at(x, y, uz - 1), at(x, y, uz), k);
        } else {
          me.absorb_in<Turn>(me.ceiling.p[i], at(x, y, uz - 1), k);
        }
      }
    });
    if ((uy < ny && (walls & wall(port::north)) != 0) || (part && (walls & wall(port::up)) != 0)) {
      this->template refresh_columns<Turn>(ctx);
    }
  }
  /// After add_sources(): what sources over shapes add.
  void add_shapes(perdure::block_context& ctx, const open_faces<base>* filled) const {
    if (runs == 0) return;
    for (std::uint32_t s = 0; s < sources; ++s) {  // in turn: shapes may overlap
      ctx.for_each<most_runs>(*this, [&](laboratory_tile& me, std::size_t r, int) {
        if (r >= me.runs || me.run_at[r].source != s) return;
        const run one = me.run_at[r];
        for (std::size_t c = 0; c < one.length; ++c)
          open_faces<base>::add(me, one.first + c, me.source_at[s].value, filled);
      });
    }
  }
  const level& above() const { return ceiling; }
  const float* layer_at(port at) const {
    switch (at) {
      case port::west:
        return layers.west.p.data();
      case port::east:
        return layers.east.p.data();
      case port::south:
        return layers.south.p.data();
      default:
        return layers.north.p.data();
    }
  }

 private:
  static float absorbed(float before, float now, float ghost, float courant) {
    return before + (courant - 1.0F) / (courant + 1.0F) * (now - ghost);
  }
  template <std::size_t Turn>
  void absorb(std::size_t cell, std::size_t ghost, std::size_t k) {
    const float courant = std::sqrt(material_of[k].courant2);
    pressure[Turn][ghost] = absorbed(pressure[Turn ^ 1][cell], pressure[Turn][cell],
                                     pressure[Turn ^ 1][ghost], courant);
  }
  template <std::size_t Turn>
  void absorb_in(float& ghost, std::size_t cell, std::size_t k) {
    const float courant = std::sqrt(material_of[k].courant2);
    ghost = absorbed(pressure[Turn ^ 1][cell], pressure[Turn][cell], ghost, courant);
  }
  /// It adds nothing any more: an impulse after its step, a ricker once its exponential is 0.
  bool spent(std::size_t s) const {
    const source& f = source_at[s];
    return f.cell != source::over_a_shape && f.n > 0 && f.a == 0 && f.c == 0;
  }
};

}  // namespace wavesim3d
