// apps/wavesim3d/plain.hpp - a tile of one medium without damping; pressure is 0 one cell outside the grid.
// Why: it is the fastest, and its state the smallest; scenes that need no more run on it alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>

#include "tile.hpp"

namespace wavesim3d {

struct tile : wave_tile<tile, true> {
  float courant2 = 0;  ///< (speed * time step / spacing)^2

  using wave_tile<tile, true>::on;
  /// p(n+1) = 2 p(n) - p(n-1) + courant2 * (sum of the six neighbours - 6 p(n)).
  void on(const faces& in, perdure::block_context& ctx) const {
    const float c2 = courant2;
    take_step(in, ctx, [c2](const tile&, std::size_t, float sum, float now, float past) {
      return 2.0F * now - past + c2 * (sum - 6.0F * now);
    });
  }

  template <std::size_t Turn>
  void before_step(perdure::block_context&) const {}
  void add_shapes(perdure::block_context&) const {}
  const level& above() const { return no_level; }
};

}  // namespace wavesim3d
