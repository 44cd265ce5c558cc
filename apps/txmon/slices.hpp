// apps/txmon/slices.hpp - a block in parts that are due together, for a replay.
// Why: a block may hold hours of event time; an epoch must end, and a run be stopped, between two rows of it as on a live pipe.
// Invariant: the parts are the rows of the block in their order, and each knows where reading goes on behind it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "ingest.hpp"

namespace txmon {

/// Cuts where a row's event time is more than `width_ms` above that of the first row of its part. A block whose source does not
/// tell its places is one part.
std::vector<parsed> in_slices(parsed whole, double width_ms, const lane_share& lanes);

}  // namespace txmon
