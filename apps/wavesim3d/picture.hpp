// apps/wavesim3d/picture.hpp - a plane of the field as a PNG: blue below 0, white at 0, red above.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

#include "scene.hpp"

namespace wavesim3d {

/// Writes the plane, enlarged to at least 512 pixels along its longer side; appears whole or not at all.
/// @param field  [nz][ny][nx], Pa.  @return the pressure that is drawn in full colour: the largest of the plane.
/// @throws apps::failure
float write_slice(const std::filesystem::path& to, const scene& s, const slice_spec& which,
                  std::span<const float> field);

}  // namespace wavesim3d
