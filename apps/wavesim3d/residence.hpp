// apps/wavesim3d/residence.hpp - which tiles a scene gets: how large, and whether they stay on the chip.
// Why: it depends on the grid, its walls and the device, and not on what a tile does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/options.hpp>
#include <string>

#include "scene.hpp"

namespace wavesim3d {

/// Whether each tile has a worker of its own and stays on its chip, or tiles are swapped; both have the same states and bits.
/// small: tiles of an eighth of the cells, which stay; cube: of twice the cells, which stay, and know no absorbing walls;
/// the same bits, other states.
/// as_they_fit: large tiles stay on the CPU; on a GPU small ones do where there are no more of them than workers, else large
/// ones, else cubes where that holds of them. States to go on from keep their tiles' size.
enum class residence { as_they_fit, stays, swapped, small, cube };

/// @param layout  of states to go on from, or empty
/// @return stays, swapped, small or cube.  @throws apps::failure: cubes for a scene that has absorbing walls, no device
residence residence_of(const scene& s, const perdure::options& opts, const std::string& layout,
                       residence where);

}  // namespace wavesim3d
