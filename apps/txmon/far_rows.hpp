// apps/txmon/far_rows.hpp - rows whose time lies implausibly far ahead, before they move the watermark.
// Why: one row of the year 10889 makes every row after it late, and no rule judges any of them.
// Invariant: what is left out depends on the rows and their order alone, as lateness does, not on threads or blocks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "event_order.hpp"
#include "ingest.hpp"

namespace txmon {

struct ahead_limit {
  std::int64_t most_ms = 0;  ///< above the greatest time before; 0: no limit
  bool lenient = false;      ///< such rows are skipped and counted instead of ending the run
};

/// Takes rows beyond the limit out of a block that is admitted next, with their labels. Unless lenient, what is behind the first
/// of them leaves, too, and the block must have places.
/// @param input  what to call the input in messages  @param before  where the block begins
/// @return what is wrong with that first one, for the run's end once the rows before it are admitted; nothing if lenient
std::optional<std::string> leave_out_far_rows(parsed& next, const event_order& order,
                                              const lane_share& lanes, const ahead_limit& limit,
                                              const std::string& input, const position& before);

}  // namespace txmon
