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
/// swapped_cube: the same, swapped; streamed: of eight times the cells, which are never on the chip. The same bits, other
/// states.
/// as_they_fit: with backend::cpu streamed ones, where each worker has four, unless too many of their cells would be none of the
/// grid's, or do not fit otherwise; else large tiles are swapped, as those keep least.
/// Else small ones stay where there are no more of them than workers, else large ones. Else cubes, if no orders are asked for,
/// stay where that holds of them. Of grids of more than three cubes a worker streamed ones, unless too many of their cells would
/// be none of the grid's. Else cubes are swapped if there is one medium and no orders are asked for, or large ones.
/// States to go on from keep their tiles' size.
enum class residence { as_they_fit, stays, swapped, small, cube, swapped_cube, streamed };

/// backend::automatic made backend::cpu where there is no GPU, which opts.on_warning is told: tiles are for who computes them.
perdure::options where_it_runs(perdure::options opts);

/// @param opts  of where_it_runs().  @param laboratory  tiles that take orders are asked for.  @param layout  of states to go on from, or empty
/// @return any but as_they_fit.  @throws apps::failure: cubes for a scene that has absorbing walls, another size than
/// the states', no device
residence residence_of(const scene& s, const perdure::options& opts, bool laboratory,
                       const std::string& layout, residence where);

}  // namespace wavesim3d
