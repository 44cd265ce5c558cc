// apps/wavesim3d/picture.hpp - a plane of the field as a PNG: blue below 0, white at 0, red above, obstacles grey; axes
//                              in metres and a colour bar in pascal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "plane.hpp"
#include "scene.hpp"
#include "world.hpp"

namespace wavesim3d {

/// Writes the plane, enlarged to at least 512 pixels along its longer side; appears whole or not at all.
/// @return the pressure that is drawn in full colour: which.range_pa, or the largest of the plane.
/// @throws apps::failure
double write_slice(const std::filesystem::path& to, const scene& s, const world& w,
                   const slice_spec& which, const plane& cells, int step);

}  // namespace wavesim3d
