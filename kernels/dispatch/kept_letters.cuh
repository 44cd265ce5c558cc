// kernels/dispatch/kept_letters.cuh - long messages to the host that a message which came alone has sent: by the warp that has it.
// Why: whoever asks for one waits for it, and a turn of all lanes to write what the outbox keeps takes three times as long as
//      the rest of such an ask.
// Invariant: with the baton, behind end_few(); what has no room yet, and what is no such message, is left to a turn.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/few.cuh"

namespace perdure::loop {

/// Writes those whose place is free, a word a lane; if that is all, nothing is pending any more. All lanes of the warp, behind a
/// meeting; ends with one.
PERDURE_OUT_OF_LINE inline void write_kept(on_chip& chip, const memory& mem, u32 lane) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 used = outbox_used(c, m);
  u32 left = used > m.chip_units ? 1 : 0;
  PERDURE_ROLLED
  for (u32 u = 0; u < used && u < m.chip_units; ++u) {
    const outbox_entry entry = entry_at(c, m, u);
    if (entry.words == 0) continue;
    const u32 in_ring = words_in_ring(c, m, u, entry);
    const u64 pos = c[m.out_base][entry.dst] + entry.offset;
    u32 goes = 0;
    if (lane == 0 && in_ring != entry.words)
      goes = pos + in_ring <= limit_of(c, m, entry.dst, pos + in_ring) ? 1 : 0;
    if (__shfl_sync(~0U, goes, 0) == 0) {
      ++left;
      continue;
    }
    const long_letter letter{c, m, u, entry.words};
    PERDURE_ROLLED
    for (u32 k = lane; k < in_ring; k += 32)
      write_word(c, m, m.workers, static_cast<u32>(pos), k, letter(k));
    __syncwarp();
    if (lane == 0) {
      letter.give_back(m);
      set_entry(c, m, u, {});
    }
    __syncwarp();
  }
  if (lane == 0 && left == 0) clear_outbox(c);
  __syncwarp();
}

/// end_few(), and that. All lanes of the warp. @param run  lane 0's.
inline void end_few_by_warp(on_chip& c, const memory& m, u32 lane, batch taken, batch_source source,
                            const few_run& run) {
  if (lane == 0) end_few(c, m, taken, source, run);
  __syncwarp();
  if (__any_sync(~0U, c.pending != 0) != 0) write_kept(c, m, lane);
}

}  // namespace perdure::loop
