// kernels/dispatch/arrival.cuh - what an idle worker's poll has found.
// Why: what has come to a worker with nothing else to do is on chip when it is found, and need not be looked for again.
// Invariant: a batch that has landed; else on_chip::came has a linked actor that may fire, or a whole turn is due, or one of
//            all lanes is, for what still stands in the ring (for_all).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/take.cuh"

namespace perdure::loop {

/// What an idle poll has found, landed on chip, with nothing else to do before it. See idle.cuh.
struct arrival {
  batch_source source;
  batch taken{0, 0};
  bool crowded = false;  ///< it filled all that was looked at
  bool for_all = false;  ///< and it is left to a turn of all lanes, which have not seen it yet
  bool handled =
      false;  ///< there was something, and it is done; then the rest of this says nothing
};

/// Whether this worker may handle an arrival at once: no command, no spill, no undelivered and no deferred message before
/// it.
inline bool may_arrive(const on_chip& c) {
  return c.state == state_running && c.commanded == 0 && c.pending == 0 && c.deferred == 0 &&
         c.spill_head == c.spill_tail;
}

}  // namespace perdure::loop
