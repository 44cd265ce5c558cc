// apps/wavesim3d/waveform.hpp - a source's samples as a recurrence that tiles can compute.
// Why: sine and exponential differ in the last bit between host and device; + and * do not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene.hpp"
#include "tile.hpp"

namespace wavesim3d {

/// The recurrence of a source for steps of `time_step_s`; `cell` is left 0.
source waveform_of(const source_spec& s, double time_step_s);

}  // namespace wavesim3d
