// apps/txmon/bench/resident.hpp - transactions a second when they are made where the accounts live.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "options.hpp"

namespace txmon::bench {

/// @return as throughput(), without baselines. @throws failure (different)
nlohmann::ordered_json resident(const bench_options& options);

}  // namespace txmon::bench
