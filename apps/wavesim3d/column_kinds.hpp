// apps/wavesim3d/column_kinds.hpp - what a lane of a streamed tile of several materials knows of its cells' laws.
// Why: a look-up waits for all that has been asked of the field before it; mostly all cells that are near are of one kind.
// Invariant: `four` has the kinds of the ring of levels in hand, of each level from when the last one there was computed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "streaming.hpp"
#include "tile_messages.hpp"

namespace wavesim3d {

/// A word of kinds is asked for a ring of levels before its cells are computed. Where a lane's cells of a ring are of one kind
/// their law is looked up once.
/// @tparam Tile  laboratory_tile, streamed.  @tparam Up  the way through the levels
template <class Tile, std::size_t Ring, std::size_t Rows, bool Up>
struct column_kinds {
  static constexpr bool by_one_pointer = true, looks_up = true;
  const law* of;               ///< each kind
  const std::uint32_t* kinds;  ///< of the lane's cells of the level that is asked for next
  std::uint32_t four[Ring][Rows];
  law one;

  template <std::size_t K>
  __attribute__((always_inline)) void ask() {
    constexpr std::ptrdiff_t level = Tile::nx * Tile::ny / 4;
    each<Rows>([&](auto r)
                   __attribute__((always_inline)) { four[K][r] = kinds[r * Tile::nx / 4]; });
    kinds += Up ? level : -level;
  }
  /// Whether all of the ring's cells follow `one`.
  __attribute__((always_inline)) bool are_one() {
    const std::uint32_t kind = four[0][0] & 255U;
    std::uint32_t differ = 0;
    each<Ring>([&](auto k) __attribute__((always_inline)) {
      each<Rows>([&](auto r)
                     __attribute__((always_inline)) { differ |= four[k][r] ^ kind * 0x01010101U; });
    });
    if (differ == 0) one = of[kind];
    return differ == 0;
  }
  template <std::size_t K, std::size_t R, bool Same>
  __attribute__((always_inline)) void follow(const Tile&, const four_cells& now,
                                             const four_cells& past, four_cells& value) const {
    each<4>([&](auto c) __attribute__((always_inline)) {
      float& to = value.template p<c>();
      const law& own = Same ? one : of[four[K][R] >> (c * 8) & 255U];
      to = Tile::next_of(own, to, now.template p<c>(), past.template p<c>());
    });
  }
};

}  // namespace wavesim3d
