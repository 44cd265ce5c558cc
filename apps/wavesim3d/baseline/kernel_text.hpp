// apps/wavesim3d/baseline/kernel_text.hpp - kernels.cu as text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace wavesim3d::baseline {
extern const char* const kernel_text;
}  // namespace wavesim3d::baseline
