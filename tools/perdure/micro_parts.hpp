// tools/perdure/micro_parts.hpp - the part of `perdure bench micro` that is no actors: barriers of
// a resident kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench.hpp"

namespace bench {

/// Adds results sync_*_us: what a step costs that all blocks, a cluster's blocks, or neighbours
/// take together. report["barriers"] says {skipped: reason} where there is no device.
void add_barriers(nlohmann::json& report, const bench_options& options);

}  // namespace bench
