// apps/wavesim3d/residence.cpp - see residence.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "residence.hpp"

#include <algorithm>
#include <perdure/system.hpp>

#include "common/failure.hpp"
#include "cut.hpp"

namespace wavesim3d {
namespace {

/// What states of this layout go on as.
residence from_layout(const std::string& layout, residence where) {
  using enum residence;
  const residence size = layout.starts_with("small")  ? small
                         : layout.starts_with("cube") ? cube
                                                      : as_they_fit;  // large: stays or swapped
  if (where == as_they_fit || where == size) return size;
  if (size == as_they_fit && (where == stays || where == swapped)) return where;
  throw apps::failure{"states of " + layout + " tiles go on as tiles of that size only",
                      apps::exit_code::usage};
}

}  // namespace

residence residence_of(const scene& s, const perdure::options& opts, bool laboratory,
                       const std::string& layout, residence where) {
  using enum residence;
  const bool absorbing = std::any_of(s.faces.begin(), s.faces.end(), absorbs);
  if (!layout.empty()) where = from_layout(layout, where);
  if (where == cube && absorbing)
    throw apps::failure{s.name + ": cubes know no absorbing walls", apps::exit_code::usage};
  if (where != as_they_fit) return where;
  if (opts.backend == perdure::backend::cpu) return stays;
  std::size_t workers = opts.workers;
  if (workers == 0) {
    const auto there = perdure::system::processors(opts);
    if (!there) throw apps::failure{there.error().message()};
    workers = there.value();
  }
  const auto fit = [&](const cut::cell& tile) { return cut{s.cells, tile}.count() <= workers; };
  const bool from_states = !layout.empty();  // whose tiles are large
  if (!from_states && fit(cut::size_of<small_shape>)) return small;
  if (fit(cut::size_of<large_shape>)) return stays;
  // a cube takes as few orders as a large tile, for twice the cells
  if (!from_states && !laboratory && !absorbing && fit(cut::size_of<cube_shape>)) return cube;
  return swapped;
}

}  // namespace wavesim3d
