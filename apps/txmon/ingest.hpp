// apps/txmon/ingest.hpp - threads that read one source side by side, and the gate that puts blocks back in order.
// Why: parsing takes most of the time before an account sees a posting, and needs no order. Nobody waits for his turn at the
//      gate: a block that comes too early is left there, and whoever delivers takes it with him.
// Invariant: `deliver` is called for blocks 0, 1, 2, ... one at a time; of a block that failed, the rows before
//            that; after a failure no later block.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "event_order.hpp"
#include "source.hpp"

namespace txmon {

/// A parsed block on its way through the gate.
struct parsed {
  block rows;  ///< labels, reasons; its `rows` have moved to `cut`
  std::shared_ptr<batch>
      cut;         ///< from a pool: its memory is used again when the last owner drops it
  position after;  ///< of the source
};

struct ingest_settings {
  std::uint32_t threads = 1;
  lane_share lanes = 1;
  /// Tests: called before a block is parsed, to put threads out of step.
  std::function<void(std::uint64_t index)> before_parse{};
  bool places = false;  ///< of every row, for who ends between two rows
};

/// Reads `from` to its end. @param deliver  returns false to end early.
/// @throws what the source or `deliver` threw for the earliest block that failed
void ingest(source& from, const ingest_settings& how, const std::function<bool(parsed&)>& deliver);

}  // namespace txmon
