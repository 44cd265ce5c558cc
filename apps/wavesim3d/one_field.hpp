// apps/wavesim3d/one_field.hpp - what a tile does whose state has p(n) alone: p(n-1), and within a step p(n+1), is its lanes'.
// Why: twice the cells of a tile with two fields stay on a chip; a grid of 160^3 is 125 such tiles.
// Invariant: a lane's k-th value of the column odd is of the cell where each_past() says.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

#include "tile_geometry.hpp"

namespace wavesim3d {

/// Fields change places: what was p(n-1) is seen in the state, and p(n) is the lanes'. Twice is once.
struct exchange {};
/// A row of p(n-1), of a state to go on from.
struct past_row {
  static constexpr int length = 32;
  std::int32_t y, z;
  std::array<float, length> pressure;
};

/// @tparam Base  a wave_tile with keeps::one
template <class Base>
struct one_field_tile : Base {
  using Base::nx, Base::ny, Base::nz, Base::to_level, Base::at, Base::pressure, Base::odd,
      Base::used_z;
  static_assert(nx == past_row::length);

  using Base::on;
  void on(const exchange&, perdure::block_context& ctx) const {
    if (!this->loaded) {
      begin_past(ctx);
      ctx.once(*this, [](one_field_tile& me) { me.loaded = true; });
    }
    exchange_fields(ctx);
  }
  void on(const past_row& m, perdure::block_context& ctx) const {
    const auto my = static_cast<std::size_t>(m.y), mz = static_cast<std::size_t>(m.z);
    each_past(ctx, [&](one_field_tile&, std::size_t x, std::size_t y, std::size_t z, float& past) {
      if (y == my && z == mz) past = m.pressure[x];
    });
  }

  // what wave_tile asks for
  /// All lanes have read p(n), and have p(n+1) where p(n-1) was.
  void exchange_fields(perdure::block_context& ctx) const {
    each_past(ctx,
              [](one_field_tile& me, std::size_t x, std::size_t y, std::size_t z, float& past) {
                float& here = me.pressure[0][at(x, y, z)];
                const float old = here;
                here = past;
                past = old;
              });
  }
  /// p(-1), unless it came by messages.
  void begin_past(perdure::block_context& ctx) const {
    each_past(ctx, [](one_field_tile& me, std::size_t x, std::size_t y, std::size_t z,
                      float& past) { past = me.past_ratio * me.pressure[0][at(x, y, z)]; });
  }

 private:
  /// f(me, x, y, z, p(n-1) there) for all cells of levels inside the grid; nobody asks for others. Right behind a region or
  /// at a handler's beginning: then_each().
  template <class F>
  void each_past(perdure::block_context& ctx, F f) const {
    if constexpr (perdure::lanes_are_threads()) {
      // by a condition for each few levels: a value that is loaded here then takes the register of the one that it replaces;
      // without one a compiler takes others for it, and there are none
      constexpr std::size_t together = 2;
      const auto levels = static_cast<std::size_t>(used_z);
      ctx.then_each<nx, ny / to_level>(
          *this, [&](one_field_tile& me, std::size_t x, std::size_t by, int) {
            const auto past = me.odd(ctx);
            each<nz / together>([&](auto some) __attribute__((always_inline)) {
              if (some * together >= levels) return;
              each<together * to_level>([&](auto k) __attribute__((always_inline)) {
                const std::size_t z = some * together + k / to_level, r = k % to_level;
                f(me, x, by * to_level + r, z, past[z * to_level + r]);
              });
            });
          });
    } else {
      ctx.for_each<nx, ny, nz>(*this,
                               [&](one_field_tile& me, std::size_t x, std::size_t y, std::size_t z,
                                   std::size_t k) { f(me, x, y, z, me.odd(ctx)[k]); });
    }
  }
};

}  // namespace wavesim3d
