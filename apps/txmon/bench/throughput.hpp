// apps/txmon/bench/throughput.hpp - transactions a second, from host memory to the last alert in host memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "options.hpp"
#include "right_answer.hpp"
#include "workload.hpp"

namespace txmon::bench {

/// Runs the actors and, if asked for, the baselines on one stream; every run's alerts and states are the oracle's.
/// @return {stream, alerts, actors, single_thread, oracle, cuda_batch}. @throws failure (different)
nlohmann::ordered_json throughput(const bench_options& options, draw by);

/// The median of a report of throughput(). @return transactions a second
double rate_of(const nlohmann::ordered_json& report);

/// What every stream is described by, in reports.
nlohmann::ordered_json describe(const workload& w, std::size_t alerts);
/// Sizes and counts of a system that has come to rest.
nlohmann::ordered_json describe(const run_figures& figures);

}  // namespace txmon::bench
