// apps/wavesim3d/column_kinds.hpp - what a lane of a streamed tile of several materials knows of its cells' laws.
// Why: mostly a lane's cells of a level are of one kind, and its law can be asked for before the level is in hand. Who finds out
//      there waits for all that has been asked of the fields since.
// Invariant: `now` and `coming` name the kinds of the ring of levels in hand and of the next one. `law_of` has each level's law of
//            the ring in hand (of a level of several any), and the next one's from when that level was computed; so has `four`
//            the kinds of its cells, if the ring has a level of several.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "level_kinds.hpp"
#include "streaming.hpp"
#include "tile_messages.hpp"

namespace wavesim3d {

/// Words of rings are asked for two rings before, laws of levels and kinds of cells one.
/// @tparam Tile  laboratory_tile, streamed.  @tparam Up  the way through the levels
template <class Tile, std::size_t Ring, std::size_t Rows, bool Up>
struct column_kinds {
  static constexpr std::ptrdiff_t way = Up ? 1 : -1;
  static_assert(Tile::kinds > of_several, "a law is asked for of that number, too");
  static_assert(Tile::nz >= 2 * Ring);
  const law* of;               ///< each kind
  const std::uint32_t* rings;  ///< the word of the ring that is asked for next
  const std::uint32_t* kinds;  ///< of the lane's cells of the level that is asked for next
  std::uint32_t now, coming, later;
  std::uint32_t four[Ring][Rows];
  law law_of[Ring];

  /// Whether one of its bytes is of_several. After Mycroft's test for a byte that is 0.
  static std::uint32_t has_several(std::uint32_t word) {
    return (~word - 0x01010101U) & word & 0x80808080U;
  }
  template <std::size_t K>
  static std::uint32_t level(std::uint32_t word) {
    return word >> ((Up ? K : Ring - 1 - K) * 8) & 255U;
  }
  __attribute__((always_inline)) void next_ring() {
    later = *rings;
    rings += way * std::ptrdiff_t{Tile::lanes};
  }
  /// Before the first level.
  __attribute__((always_inline)) void begin() {
    next_ring();
    now = later;
    next_ring();
    coming = now;
    each<Ring>([&](auto k) __attribute__((always_inline)) { ask<k>(); });
    coming = later;
  }
  /// Of the next ring's level.
  template <std::size_t K>
  __attribute__((always_inline)) void ask() {
    constexpr std::ptrdiff_t to_next = Tile::nx * Tile::ny / 4;
    law_of[K] = of[level<K>(coming)];
    if (has_several(coming) != 0) {
      each<Rows>([&](auto r)
                     __attribute__((always_inline)) { four[K][r] = kinds[r * Tile::nx / 4]; });
    }
    kinds += way * to_next;
  }
  /// At the beginning of a ring's level. @param more  whether two rings on there is another one
  template <std::size_t K>
  __attribute__((always_inline)) void enter(bool more) {
    if constexpr (K == 0) {
      if (more) next_ring();
    }
  }
  /// At its end, but in the last ring.
  template <std::size_t K>
  __attribute__((always_inline)) void leave() {
    ask<K>();
    if constexpr (K == Ring - 1) {
      now = coming;
      coming = later;
    }
  }
  /// Cells of several kinds are worked out again: were it the one or the other, the compiler would take both ways' ends together
  /// and wait there for all that is on its way.
  /// @param value  of each row, the sums of the cells' neighbours; becomes their next pressures
  template <std::size_t K>
  __attribute__((always_inline)) void follow(const four_cells (&present)[Rows],
                                             const four_cells (&past)[Rows],
                                             four_cells (&value)[Rows]) const {
    const bool several = level<K>(now) == of_several;
    four_cells sum[Rows];
    each<Rows>([&](auto r) __attribute__((always_inline)) {
      sum[r] = value[r];
      each<4>([&](auto c) __attribute__((always_inline)) {
        value[r].template p<c>() = Tile::next_of(
            law_of[K], sum[r].template p<c>(), present[r].template p<c>(), past[r].template p<c>());
      });
    });
    if (several) [[unlikely]] {
      each<Rows>([&](auto r) __attribute__((always_inline)) {
        each<4>([&](auto c) __attribute__((always_inline)) {
          value[r].template p<c>() =
              Tile::next_of(of[four[K][r] >> (c * 8) & 255U], sum[r].template p<c>(),
                            present[r].template p<c>(), past[r].template p<c>());
        });
      });
    }
  }
};

}  // namespace wavesim3d
