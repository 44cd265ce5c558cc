// apps/wavesim3d/uniform.hpp - the law of one medium without damping; pressure is 0 one cell outside the grid.
// Why: such tiles are the fastest, and their states the smallest; scenes that need no more run on them alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <type_traits>

#include <perdure/actor.hpp>

#include "tile.hpp"

namespace wavesim3d {

/// @tparam Self  the actor.  @tparam Shape, Kept  see wave_tile
template <class Self, class Shape, keeps Kept>
struct uniform_tile : wave_tile<Self, Shape, Kept == keeps::both || Kept == keeps::columns, Kept> {
  using base = wave_tile<Self, Shape, Kept == keeps::both || Kept == keeps::columns, Kept>;
  float courant2 = 0;  ///< (speed * time step / spacing)^2
  /// 0, as no_level is.
  alignas(base::streamed ? 16 : 4)
      std::conditional_t<base::streamed, typename base::front, typename base::nothing> no_front{};

  using base::on;
  /// p(n+1) = 2 p(n) - p(n-1) + courant2 * (sum of the six neighbours - 6 p(n)).
  void on(const typename base::faces& in, perdure::block_context& ctx) const {
    this->take_step(in, ctx);
  }
  template <class Cells>
  void follow_row(perdure::block_context&, std::size_t, std::size_t, const Cells& cells) const {
    cells([c2 = courant2](std::size_t, float sum, float now, float past) {
      return next_of(c2, sum, now, past);
    });
  }
  static float next_of(float courant2, float sum, float now, float past) {
    // twice a number is exact, so that a fused operation rounds as two do; a CPU may have none
    const float ahead =
        perdure::lanes_are_threads() ? std::fma(2.0F, now, -past) : 2.0F * now - past;
    return ahead + courant2 * (sum - 6.0F * now);
  }
  struct level_laws {
    float courant2;
  };
  template <class Level>
  void enter_level(perdure::block_context&, Level z, level_laws& laws) const {
    if constexpr (z == 0) laws.courant2 = courant2;
  }
  template <class Cells>
  void follow(const level_laws& laws, const Cells& now, const Cells& past, Cells& value) const {
    each<base::to_level>(
        [&](auto r) { value[r] = next_of(laws.courant2, value[r], now[r], past[r]); });
  }

  template <std::size_t Ring, std::size_t Rows>
  struct column_laws {
    float courant2;
    void begin() {}
    template <std::size_t K>
    void enter(bool) {}
    template <std::size_t K>
    void leave() {}
    template <std::size_t K>
    __attribute__((always_inline)) void follow(const four_cells (&present)[Rows],
                                               const four_cells (&past)[Rows],
                                               four_cells (&value)[Rows]) const {
      each<Rows>([&](auto r) __attribute__((always_inline)) {
        each<4>([&](auto c) __attribute__((always_inline)) {
          float& to = value[r].template p<c>();
          to = next_of(courant2, to, present[r].template p<c>(), past[r].template p<c>());
        });
      });
    }
  };
  template <std::size_t Ring, std::size_t Rows, bool Up>
  column_laws<Ring, Rows> laws_of_column(std::size_t, std::size_t) const {
    return {courant2};
  }

  template <std::size_t Turn>
  void before_step(perdure::block_context&) const {}
  void add_shapes(perdure::block_context&, const open_faces<base>*) const {}
  const typename base::level& above() const { return this->no_level; }
  /// Of a streamed tile: what lies in x and y where no neighbour is.
  const float* layer_at(typename base::port) const { return no_front.p.data(); }
};

}  // namespace wavesim3d
