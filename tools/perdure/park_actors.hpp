// tools/perdure/park_actors.hpp - a wide actor whose state takes most of a worker's chip: what `perdure bench park` parks.
// Why: of the state of such an actor all goes to memory when its worker leaves, and comes back with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <perdure/actor.hpp>

#include "mix.hpp"

namespace parking {

struct touch {
  std::uint32_t number;
};
struct touched {
  std::uint32_t mixed;
  std::uint32_t times;  ///< that all cells were touched
};

struct slab : perdure::block_actor<slab> {
  static constexpr int lanes = 512;
  static constexpr int size = 36 * 1024;  ///< 144 KiB
  std::array<std::uint32_t, size> cells{};

  void on(const touch& m, perdure::block_context& ctx) const {
    ctx.for_each<size>(*this, [](slab& me, int i, int) { ++me.cells[i]; });
    ctx.reply(touched{bench::mix(m.number), cells[m.number % size]});
  }
};

}  // namespace parking
