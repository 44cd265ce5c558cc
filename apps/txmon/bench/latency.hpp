// apps/txmon/bench/latency.hpp - how long after a transaction its alert is there, at a steady rate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "options.hpp"

namespace txmon::bench {

/// @param per_s  transactions a second, the load. @return {stream, load_per_s, p50_us, p99_us, max_us, runs}
/// @throws failure (different)
nlohmann::ordered_json latency(const bench_options& options, double per_s);

}  // namespace txmon::bench
