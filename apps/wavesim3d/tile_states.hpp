// apps/wavesim3d/tile_states.hpp - the states that tiles of a scene begin with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "cube.hpp"
#include "cube_medium.hpp"
#include "cut.hpp"
#include "medium.hpp"
#include "plain.hpp"
#include "scene.hpp"
#include "small.hpp"
#include "small_medium.hpp"
#include "streamed.hpp"
#include "streamed_medium.hpp"
#include "swapped.hpp"
#include "swapped_medium.hpp"
#include "world.hpp"

namespace wavesim3d {

/// The initial field: a product of sines that is 0 one cell outside the grid.
class standing_mode {
 public:
  explicit standing_mode(const scene& s);
  bool there() const { return there_; }
  float at(const cut::cell& c) const {
    return static_cast<float>(factor_[0][static_cast<std::size_t>(c[0])] *
                              factor_[1][static_cast<std::size_t>(c[1])] *
                              factor_[2][static_cast<std::size_t>(c[2])]);
  }
  /// p(-1) / p(0) of the wave that this field belongs to: cos(omega * time step).
  float past_ratio() const { return past_ratio_; }

 private:
  bool there_;
  float past_ratio_;
  std::array<std::vector<double>, 3> factor_;
};

/// Makes states one by one. @throws apps::failure naming what does not fit into a tile.
class tile_states {
 public:
  /// @param size  cells of a tile along each axis
  tile_states(const scene& s, const cut::cell& size);
  /// @tparam Tile  tile, small_tile, cube_tile or swapped_tile
  template <class Tile>
  Tile plain(std::size_t t) const;
  /// @tparam Tile  medium_tile, small_medium_tile, cube_medium_tile or swapped_medium_tile
  /// @param grounds  gets what the tile is to be told before its first step.
  template <class Tile>
  Tile medium(std::size_t t, std::vector<ground>& grounds) const;

 private:
  /// What sources and receivers come to in one tile.
  struct contents {
    std::vector<source> sources;
    std::vector<receiver> receivers;
    /// Where each of them is: the place in the field depends on the tile's type. Of sources over a shape, nowhere.
    std::vector<cut::cell> sources_at, receivers_at;
    std::vector<run> runs;
  };
  void place_source(std::size_t which);
  /// @throws apps::failure naming the key if a tile has no room for what was added to it last.
  void has_room(const contents& to, const std::string& key) const;
  template <class Tile>
  void begin(Tile& made, std::size_t t) const;
  /// Of all cells of a tile: [nz][ny][nx].
  using cell_kinds = std::vector<std::uint8_t>;
  template <class Tile>
  std::vector<cell_law> kinds_of(std::size_t t, cell_kinds& of_cells) const;
  const scene& scene_;
  cut grid_;
  world world_;
  standing_mode mode_;
  std::vector<contents> of_;
};

}  // namespace wavesim3d
