// tools/perdure/baseline_rtt.hpp - what a round trip costs without actors, on the same device in the same process.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "bench.hpp"

namespace bench {

/// launch + synchronise, graph launch + synchronise (the kernel writes a number that the host checks); an actor by hand, with
/// rings, order, clock and state as ours, but no other type, receiver or command to look for; and a mapped word that a
/// resident thread answers: the floor. {skipped: reason} where there is no device.
nlohmann::json rtt_baselines(const bench_options& options);

}  // namespace bench
