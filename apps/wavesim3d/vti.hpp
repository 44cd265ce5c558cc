// apps/wavesim3d/vti.hpp - a field as VTK ImageData, which ParaView opens.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <span>

#include "scene.hpp"
#include "world.hpp"

namespace wavesim3d {

/// Writes p (Pa, float32) and the number of the material (uint8) of every cell as point data at the cells' centres, in
/// metres; appended, base64, little endian. Appears whole or not at all. @param field  [nz][ny][nx]. @throws apps::failure
void write_vti(const std::filesystem::path& to, const scene& s, const world& w,
               std::span<const float> field, int step);

}  // namespace wavesim3d
