// apps/wavesim3d/places.hpp - where a run reads and writes: no file is both, or written as two things.
// Why: whoever mistypes one name must not lose his scene, his checkpoint or a table after hours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "outputs.hpp"

namespace wavesim3d {

struct places {
  std::string scene, out, json, checkpoint, resume;  ///< as they were said; empty: not at all
};

/// Before the steps, which would be lost: what will be written can be, and takes the place of nothing else.
/// @throws apps::failure naming the place
void expect_places(const places& said, const outputs& run);

}  // namespace wavesim3d
