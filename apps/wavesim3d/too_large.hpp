// apps/wavesim3d/too_large.hpp - what is said of a grid that does not fit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "cut.hpp"
#include "scene.hpp"

namespace wavesim3d {

/// Names the file and the key, and the cube of cells that fits. @param arena  bytes set aside
/// @throws apps::failure, always
[[noreturn]] void refuse_too_large(const scene& what, const cut& grid, std::size_t tile_bytes,
                                   std::size_t arena);

}  // namespace wavesim3d
