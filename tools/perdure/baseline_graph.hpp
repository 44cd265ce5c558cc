// tools/perdure/baseline_graph.hpp - the same chains as CUDA graphs and as plain launches, on the
// same device.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "chain_shape.hpp"

namespace bench {

/// Microseconds by shape, `SHAPE_graph_...` and `SHAPE_launches_...`: recording, instantiation,
/// first launch (the call, and until the host has the answer), repeat launch on the CPU, device run
/// time, end to end. Every launch's words are checked. {skipped: reason} where there is no device.
nlohmann::json graph_baselines(const bench_options& options,
                               const std::vector<chain_shape>& shapes);

}  // namespace bench
