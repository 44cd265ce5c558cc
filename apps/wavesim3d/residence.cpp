// apps/wavesim3d/residence.cpp - see residence.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "residence.hpp"

#include <algorithm>
#include <perdure/system.hpp>

#include "common/failure.hpp"
#include "cut.hpp"

namespace wavesim3d {
namespace {

enum class tile_size { any, small, large, cube, streamed };
bool is_cube(residence r) { return r == residence::cube || r == residence::swapped_cube; }
tile_size size_of(residence r) {
  if (r == residence::as_they_fit) return tile_size::any;
  if (is_cube(r)) return tile_size::cube;
  if (r == residence::streamed) return tile_size::streamed;
  return r == residence::small ? tile_size::small : tile_size::large;
}
/// Of the tiles that have made states.
tile_size size_of(const std::string& layout) {
  if (layout.empty()) return tile_size::any;
  if (layout.starts_with("cube")) return tile_size::cube;
  if (layout.starts_with("streamed")) return tile_size::streamed;
  return layout.starts_with("small") ? tile_size::small : tile_size::large;
}

constexpr std::size_t volume(const cut::cell& of) {
  return static_cast<std::size_t>(of[0]) * static_cast<std::size_t>(of[1]) *
         static_cast<std::size_t>(of[2]);
}
/// Of a grid in tiles of another shape. Whether streamed ones would have few more cells that are none of the grid's.
bool streamed_fit(const scene& s, const cut::cell& others) {
  const auto covered = [&](const cut::cell& tile) {
    return cut{s.cells, tile}.count() * volume(tile);
  };
  const std::size_t now = covered(others);
  return covered(cut::size_of<stream_shape>) <= now + now / 4;
}

}  // namespace

perdure::options where_it_runs(perdure::options opts) {
  if (opts.backend != perdure::backend::automatic) return opts;
  auto on_gpu = opts;
  on_gpu.backend = perdure::backend::cuda;
  const auto there = perdure::system::processors(on_gpu);
  if (there) return opts;
  using perdure::errc;
  const errc why = there.error().code();
  if (why != errc::no_device && why != errc::no_driver && why != errc::driver_too_old) return opts;
  if (opts.on_warning) opts.on_warning("running on the CPU: " + there.error().message());
  opts.backend = perdure::backend::cpu;
  return opts;
}

residence residence_of(const scene& s, const perdure::options& opts, bool laboratory,
                       const std::string& layout, residence where) {
  using enum residence;
  const bool absorbing = std::any_of(s.faces.begin(), s.faces.end(), absorbs);
  const tile_size from = size_of(layout);
  if (from != tile_size::any && where != as_they_fit && from != size_of(where)) {
    throw apps::failure{"states of " + layout + " tiles go on as tiles of that size only",
                        apps::exit_code::usage};
  }
  if (absorbing && (is_cube(where) || from == tile_size::cube))
    throw apps::failure{s.name + ": cubes know no absorbing walls", apps::exit_code::usage};
  if (where != as_they_fit) return where;
  if (from == tile_size::small) return small;
  if (from == tile_size::streamed) return streamed;
  std::size_t workers = opts.workers;
  if (workers == 0) {
    const auto there = perdure::system::processors(opts);
    if (!there) throw apps::failure{there.error().message()};
    workers = there.value();
  }
  const auto count = [&](const cut::cell& tile) { return cut{s.cells, tile}.count(); };
  const auto fit = [&](const cut::cell& tile) { return count(tile) <= workers; };
  if (opts.backend == perdure::backend::cpu) {
    if (from == tile_size::cube) return cube;
    // longer rows: what is asked for a row is asked half as often, and less of a tile is some neighbour's
    const bool many_tiles = count(cut::size_of<stream_shape>) >= 4 * workers;
    return from == tile_size::any && many_tiles && streamed_fit(s, cut::size_of<large_shape>)
               ? streamed
               : swapped;
  }
  if (from == tile_size::any && fit(cut::size_of<small_shape>)) return small;
  if (from != tile_size::cube && fit(cut::size_of<large_shape>)) return stays;
  // what is swapped four times a step goes to the chip for longer than it passes by, unless much of a tile is no grid's
  const std::size_t in_cubes = count(cut::size_of<cube_shape>);
  if (from == tile_size::any && in_cubes > 3 * workers && streamed_fit(s, cut::size_of<cube_shape>))
    return streamed;
  // a cube takes as few orders as a large tile, for twice the cells
  const bool cubes =
      from == tile_size::cube || (from == tile_size::any && !laboratory && !absorbing);
  if (!cubes) return swapped;
  if (fit(cut::size_of<cube_shape>)) return cube;
  // one with several materials is more code than stays near a processor that does other things in between
  return from == tile_size::cube || s.plain() ? swapped_cube : swapped;
}

}  // namespace wavesim3d
