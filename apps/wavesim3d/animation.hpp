// apps/wavesim3d/animation.hpp - pictures of a run as a film, where ffmpeg is installed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace wavesim3d {

/// Makes an MP4 (H.264) of the pictures in their order, 10 a second; appears whole or not at all.
/// @return empty, or why there is none: ffmpeg is not installed, or what it said last.
std::string animate(const std::filesystem::path& to,
                    const std::vector<std::filesystem::path>& pictures);

}  // namespace wavesim3d
