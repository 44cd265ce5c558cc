// apps/wavesim3d/tile_kind.hpp - what the host must know of each tile's type: whether it is made to be swapped,
//                                is small, takes orders; its program.
// Why: lattice.cpp treats all types alike but for that.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/options.hpp>
#include <type_traits>

#include "cube.actors.hpp"
#include "cube_medium.actors.hpp"
#include "medium.actors.hpp"
#include "plain.actors.hpp"
#include "small.actors.hpp"
#include "small_medium.actors.hpp"
#include "streamed.actors.hpp"
#include "streamed_medium.actors.hpp"
#include "swapped.actors.hpp"
#include "swapped_medium.actors.hpp"

namespace wavesim3d {

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Winvalid-offsetof"
// a checkpoint of tiles that stay is read by tiles that are swapped, and the other way round
template <class One, class Other>
constexpr bool same_layout =
    sizeof(One) == sizeof(Other) && offsetof(One, pressure) == offsetof(Other, pressure) &&
    offsetof(One, step) == offsetof(Other, step) &&
    offsetof(One, receiver_at) == offsetof(Other, receiver_at);
static_assert(same_layout<tile, swapped_tile>);
static_assert(same_layout<medium_tile, swapped_medium_tile> &&
              offsetof(medium_tile, law_of) == offsetof(swapped_medium_tile, law_of) &&
              offsetof(medium_tile, ceiling) == offsetof(swapped_medium_tile, ceiling));
#pragma GCC diagnostic pop

template <class Tile>
struct tile_kind {
  static constexpr bool swaps =
      std::is_same_v<Tile, swapped_tile> || std::is_same_v<Tile, swapped_medium_tile>;
  /// Of a link. With four a tile that stays asks its neighbours for room at every third step, with two at each.
  static constexpr std::uint32_t link_slots = swaps || Tile::streamed ? 2 : 4;
  static constexpr bool small =
      std::is_same_v<Tile, small_tile> || std::is_same_v<Tile, small_medium_tile>;
  static constexpr bool orders =
      std::is_same_v<Tile, medium_tile> || std::is_same_v<Tile, small_medium_tile> ||
      std::is_same_v<Tile, swapped_medium_tile> || std::is_same_v<Tile, cube_medium_tile> ||
      std::is_same_v<Tile, streamed_medium_tile>;
  static constexpr bool one_field = Tile::one_field;
  /// Bytes of the arena that a tile and its links take; a little more than they do.
  static constexpr std::size_t tile_bytes() {
    constexpr std::size_t cells = 1UL * Tile::nx * Tile::ny * Tile::nz;
    constexpr std::size_t columns = (swaps || Tile::streamed ? 0
                                     : one_field             ? 1
                                                             : 2) *
                                    cells * sizeof(float),
                          kinds = orders && !Tile::streamed ? cells : 0,
                          sides = 2 * (sizeof(typename Tile::side) + sizeof(typename Tile::front)),
                          levels = 2 * sizeof(typename Tile::level);
    return sizeof(Tile) + columns + kinds + link_slots * (sides + levels) * 3 / 2 + 4096;
  }

  /// What of a system's options is the tile's to choose. One that is never on the chip has nothing that a cluster shares.
  static perdure::options suited(perdure::options opts) {
    if (Tile::streamed && opts.cluster == 0) opts.cluster = 1;
    return opts;
  }

  static const perdure::program& program() {
    if constexpr (orders && one_field) {
      return ::cube_medium::actors();
    } else if constexpr (one_field) {
      return ::cube::actors();
    } else if constexpr (orders && Tile::streamed) {
      return ::streamed_medium::actors();
    } else if constexpr (orders && swaps) {
      return ::swapped_medium::actors();
    } else if constexpr (orders && small) {
      return ::small_medium::actors();
    } else if constexpr (orders) {
      return ::medium::actors();
    } else if constexpr (small) {
      return ::small::actors();
    } else if constexpr (Tile::streamed) {
      return ::streamed::actors();
    } else if constexpr (swaps) {
      return ::swapped::actors();
    } else {
      return ::plain::actors();
    }
  }
};

}  // namespace wavesim3d
