// apps/wavesim3d/tile_links.hpp - the links between the tiles of a grid.
// Why: which tiles are neighbours is the grid's; what a tile is, is not asked here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <perdure/system.hpp>
#include <vector>

#include "cut.hpp"
#include "tile_messages.hpp"

namespace wavesim3d {

/// @tparam Tile  the actor.  @param tile_at  its reference, by number.  @param slots  of each link
template <class Tile, class TileAt>
std::vector<perdure::link> links_between(const cut& grid, TileAt tile_at, std::uint32_t slots) {
  using port = typename Tile::port;
  std::vector<perdure::link> links;
  const auto both = [&]<class M>(M, std::size_t a, port out, std::size_t b, port in) {
    links.push_back(perdure::link::of<M>(tile_at(a), out, tile_at(b), in, slots));
    links.push_back(perdure::link::of<M>(tile_at(b), in, tile_at(a), out, slots));
  };
  for (std::size_t t = 0; t < grid.count(); ++t) {
    const auto p = grid.place(t);
    const auto own = tile_at(t);
    links.push_back(perdure::link::of<go>(own, port::self, own, port::self, slots));
    if (p[0] + 1 < grid.tiles[0])
      both(typename Tile::side{}, t, port::east, grid.number({p[0] + 1, p[1], p[2]}), port::west);
    if (p[1] + 1 < grid.tiles[1])
      both(typename Tile::front{}, t, port::north, grid.number({p[0], p[1] + 1, p[2]}),
           port::south);
    if (p[2] + 1 < grid.tiles[2])
      both(typename Tile::level{}, t, port::up, grid.number({p[0], p[1], p[2] + 1}), port::down);
  }
  return links;
}

}  // namespace wavesim3d
