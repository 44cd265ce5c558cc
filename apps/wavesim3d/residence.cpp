// apps/wavesim3d/residence.cpp - see residence.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "residence.hpp"

#include <algorithm>
#include <perdure/system.hpp>

#include "common/failure.hpp"
#include "cut.hpp"

namespace wavesim3d {
namespace {

/// A sponge has one behind it.
bool has_absorbing_walls(const scene& s) {
  return std::any_of(s.faces.begin(), s.faces.end(),
                     [](boundary b) { return b == boundary::mur || b == boundary::sponge; });
}

}  // namespace

residence residence_of(const scene& s, const perdure::options& opts, const std::string& layout,
                       residence where) {
  using enum residence;
  if (layout.starts_with("small")) return small;
  if (layout.starts_with("cube") || where == cube) {
    if (has_absorbing_walls(s))
      throw apps::failure{s.name + ": cubes know no absorbing walls", apps::exit_code::usage};
    return cube;
  }
  const bool chooses = where == as_they_fit;
  if (!chooses && (where != small || layout.empty())) return where;
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
  if (!from_states && !has_absorbing_walls(s) && fit(cut::size_of<cube_shape>)) return cube;
  return swapped;
}

}  // namespace wavesim3d
