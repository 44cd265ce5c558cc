// tools/perdure/rtt_open.hpp - the part of `perdure bench rtt` with many asks in flight.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "bench.hpp"

namespace bench {

/// As many asks as one thread is answered that keeps 64 in flight, and then half as many, each at a time of its own whatever
/// became of those before: adds `max_asks_per_s`, `half_rate_p50_us` and `half_rate_p99_us` to the report's results. An actor on each worker answers.
/// Start of a sample: the time at which the ask is due, so that one which comes late for the one before it counts as
/// late. End: the thread that asks finds its reply there.
/// Beside them `host_pauses`: how often and for how long such a thread is kept from running by the host itself.
void rtt_open(nlohmann::json& report, const bench_options& options, perdure::system& system);

}  // namespace bench
