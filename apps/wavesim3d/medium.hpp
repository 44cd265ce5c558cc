// apps/wavesim3d/medium.hpp - a tile of several materials, with damping, obstacles, absorbing walls and sources over
//                              shapes, which also takes orders between two runs of steps.
// Why: what each cell does is one byte that the host has worked out; the step itself knows no shapes.
// Invariant: the byte names the cell's law; cells outside the grid and in obstacles have laws that keep them at 0. Behind
//            an absorbing wall lies one layer of cells that follow first-order Mur; of the last step it is kept around
//            the older field (x, y), in no_level (below) and in ceiling (above).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <perdure/actor.hpp>

#include "tile.hpp"

namespace wavesim3d {

/// Asks for the tile's cells of a plane; it answers with pieces of rows.
struct look {
  std::int32_t axis, index;  ///< the plane's normal, 0 x to 2 z, and its place in the tile
  std::int32_t tile;         ///< for the answer
};
struct picture_row {
  static constexpr int length = 8;
  std::int32_t tile, first, row;  ///< along the plane's first axis and along its second
  std::array<float, length> pressure;
};
/// Between two runs of steps: a source more (one that is spent makes room), a receiver that comes or goes, another
/// damping of the whole medium.
struct inject {
  source what;
};
struct listen {
  receiver what;
};
struct unlisten {
  std::int32_t id;
};
struct damp {
  float damping;  ///< rate * time step / 2, beside what materials and sponges have of their own
};
/// The answer to inject and listen: whether there was room.
struct taken {
  bool yes;
};

/// What the cells of a kind do, without the damping of the whole medium.
struct material {
  float courant2;    ///< (its speed * time step / spacing)^2; 0: the pressure stays 0
  float damping;     ///< rate * time step / 2
  float neighbours;  ///< that are no rigid wall: 6, or fewer
};
/// The same, ready to use: p(n+1) = now p(n) - past p(n-1) + courant2 (sum - neighbours p(n)).
struct law {
  float now, past, courant2, neighbours;
};

struct medium_tile : wave_tile<medium_tile> {
  static constexpr std::size_t kinds = 256, most_runs = 512;
  static constexpr std::uint32_t wall(port at) { return 1U << static_cast<unsigned>(at); }
  /// Cells side by side in x, of a source over a shape.
  struct run {
    std::uint16_t first;  ///< place
    std::uint8_t length, source;
  };

  std::array<std::uint8_t, static_cast<std::size_t>(nx) * ny * nz> kind;  ///< [nz][ny][nx]
  std::array<law, kinds> law_of;
  std::array<material, kinds> material_of;
  float damping = 0;        ///< of the whole medium: rate * time step / 2
  bool uniform = true;      ///< all cells are of kind 0
  std::uint32_t walls = 0;  ///< bits of the ports where the grid ends and absorbs
  std::uint32_t runs = 0;   ///< of sources over shapes
  std::array<run, most_runs> run_at;
  level ceiling;
  perdure::ref<perdure::host<picture_row>> viewer;

  using wave_tile<medium_tile>::on;
  void on(const faces& in, perdure::block_context& ctx) const {
    const bool one = uniform;
    const law only = law_of[0];
    take_step(in, ctx,
              [one, only](const medium_tile& own, std::size_t x, std::size_t y, std::size_t z,
                          float sum, float now, float past) {
                const law l = one ? only : own.law_of[own.kind[(z * ny + y) * nx + x]];
                return l.now * now - l.past * past + l.courant2 * (sum - l.neighbours * now);
              });
  }

  void on(const damp& m, perdure::block_context& ctx) const {
    ctx.for_each<kinds>(*this, [&](medium_tile& me, std::size_t k, int) {
      me.law_of[k] = law_for(me.material_of[k], m.damping);
    });
    ctx.once(*this, [&](medium_tile& me) { me.damping = m.damping; });
  }
  void on(const inject& m, perdure::block_context& ctx) const {
    std::uint32_t s = 0;
    while (s < sources && !spent(s)) ++s;
    if (s < most) {
      ctx.once(*this, [&](medium_tile& me) {
        me.source_at[s] = m.what;
        if (s == me.sources) ++me.sources;
      });
    }
    ctx.reply(taken{s < most});
  }
  void on(const listen& m, perdure::block_context& ctx) const {
    const bool room = receivers < most;
    if (room) ctx.once(*this, [&](medium_tile& me) { me.receiver_at[me.receivers++] = m.what; });
    ctx.reply(taken{room});
  }
  void on(const unlisten& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](medium_tile& me) {
      for (std::size_t r = 0; r < me.receivers; ++r) {
        if (me.receiver_at[r].id == m.id) me.receiver_at[r] = me.receiver_at[--me.receivers];
      }
    });
  }
  void on(const look& m, perdure::block_context& ctx) const {
    constexpr std::size_t length = picture_row::length, pieces = nx / length;
    const auto axis = m.axis;
    const auto index = static_cast<std::size_t>(m.index);
    const std::size_t rows = axis == 2 ? ny : nz;
    ctx.for_each<pieces, ny>(*this, [&](medium_tile& me, std::size_t piece, std::size_t r, int) {
      if (r >= rows) return;
      const std::size_t a = piece * length;
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

  static constexpr law law_for(const material& m, float damping) {
    if (m.courant2 == 0) return law{0, 0, 0, 0};
    const float g = damping + m.damping;
    return law{2.0F / (1.0F + g), (1.0F - g) / (1.0F + g), m.courant2 / (1.0F + g), m.neighbours};
  }

  // what wave_tile asks for
  /// The layer behind absorbing walls, at this step: g(n) = p(n-1) + m (p(n) - g(n-1)), p being the cell before it and
  /// m = (c - 1) / (c + 1), c its Courant number. After Mur, IEEE Trans. EMC 23 (1981).
  template <std::size_t Turn>
  void before_step(perdure::block_context& ctx) const {
    if (walls == 0) return;
    const auto ux = static_cast<std::size_t>(used_x), uy = static_cast<std::size_t>(used_y),
               uz = static_cast<std::size_t>(used_z);
    ctx.for_each<ny, nz>(*this, [&](medium_tile& me, std::size_t y, std::size_t z, int) {
      if ((walls & wall(port::west)) != 0)
        me.absorb<Turn>(at(0, y, z), at(0, y, z) - 1, me.kind_at(0, y, z));
      if ((walls & wall(port::east)) != 0)
        me.absorb<Turn>(at(ux - 1, y, z), at(ux, y, z), me.kind_at(ux - 1, y, z));
    });
    ctx.for_each<nx, nz>(*this, [&](medium_tile& me, std::size_t x, std::size_t z, int) {
      if ((walls & wall(port::south)) != 0)
        me.absorb<Turn>(at(x, 0, z), at(x, 0, z) - row, me.kind_at(x, 0, z));
      if ((walls & wall(port::north)) != 0)
        me.absorb<Turn>(at(x, uy - 1, z), at(x, uy, z), me.kind_at(x, uy - 1, z));
    });
    const bool part = uz < nz;  // then the layer above lies in the field
    ctx.for_each<nx, ny>(*this, [&](medium_tile& me, std::size_t x, std::size_t y, int) {
      if ((walls & wall(port::down)) != 0) me.absorb_in<Turn>(me.no_level, x, y, 0);
      if ((walls & wall(port::up)) != 0) {
        if (part) {
          me.absorb<Turn>(at(x, y, uz - 1), at(x, y, uz), me.kind_at(x, y, uz - 1));
        } else {
          me.absorb_in<Turn>(me.ceiling, x, y, uz - 1);
        }
      }
    });
    if ((uy < ny && (walls & wall(port::north)) != 0) || (part && (walls & wall(port::up)) != 0)) {
      refresh_columns<Turn>(ctx);
    }
  }
  /// After add_sources(): what sources over shapes add.
  void add_shapes(perdure::block_context& ctx) const {
    if (runs == 0) return;
    for (std::uint32_t s = 0; s < sources; ++s) {  // in turn: shapes may overlap
      ctx.for_each<most_runs>(*this, [&](medium_tile& me, std::size_t r, int) {
        if (r >= me.runs || me.run_at[r].source != s) return;
        const run one = me.run_at[r];
        field& p = me.present();
        for (std::size_t c = 0; c < one.length; ++c) p[one.first + c] += me.source_at[s].value;
      });
    }
  }
  const level& above() const { return ceiling; }

 private:
  std::size_t kind_at(std::size_t x, std::size_t y, std::size_t z) const {
    return kind[(z * ny + y) * nx + x];
  }
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
  void absorb_in(level& ghosts, std::size_t x, std::size_t y, std::size_t z) {
    const float courant = std::sqrt(material_of[kind_at(x, y, z)].courant2);
    float& g = ghosts.p[y * nx + x];
    g = absorbed(pressure[Turn ^ 1][at(x, y, z)], pressure[Turn][at(x, y, z)], g, courant);
  }
  /// It adds nothing any more: an impulse after its step, a ricker once its exponential is 0.
  bool spent(std::size_t s) const {
    const source& f = source_at[s];
    return f.cell != source::over_a_shape && f.n > 0 && f.a == 0 && f.c == 0;
  }
};

}  // namespace wavesim3d
