// kernels/dispatch/bring_batch.cuh - the step "bring": a batch's messages from the host over 240 bytes, to small actors.
// Why: a handler's lane by itself would copy its message eight words at a time; all lanes together have a whole batch's
//      words on their way over the bus at once.
// Invariant: behind it every such message of the batch is brought, so its handler reads the workers' own memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/call.cuh"

namespace perdure::loop {

/// Copies them. All lanes, behind a barrier; ends with one. @param messages  of the batch, at most as many as lanes.
template <class Block>
PERDURE_OUT_OF_LINE void bring_batch(Block b, on_chip& chip, const memory& mem, u32 messages) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  typename Block::template per_lane<u64> handle;
  typename Block::template per_lane<u64> before;
  const u64 totals = b.scan_flags(before, [&](u32 lane) -> u32 {
    handle[lane] = 0;
    if (lane >= messages) return 0;
    const u32 at = c[m.start][lane];
    const word first = c[m.in][at];
    const abi::handler_entry entry = c[m.handlers_here][abi::handler_of(first)];
    if (entry.bytes <= abi::inline_payload || c[m.types_here][entry.actor].lanes != 0) return 0;
    const u64 large = handle_in(c[m.in][at + 1]);
    if (!is_of_host(m, static_cast<u32>(large)) || is_brought(m, large)) return 0;
    handle[lane] = large;
    return 1;
  });
  const u32 count = static_cast<u32>(totals) & 0xffffU;
  if (count == 0) return;
  // whose messages: in the room where chains are laid out when all are there
  b.region([&](u32 lane) {
    if (handle[lane] == 0) return;
    await_host(m, handle[lane]);
    c[m.order][static_cast<u32>(before[lane]) & 0xffffU] = static_cast<u16>(lane);
  });
  const u32 of_each = words_of_bytes(m.buffer_bytes);
  const auto buffer_of = [&](u32 i) {
    return static_cast<u32>(handle_in(c[m.in][c[m.start][c[m.order][i / of_each]] + 1]));
  };
  b.region([&](u32 lane) {
    copy_words(m, lane, count * of_each, b.lanes(), buffer_of, [&](u32 i) { return i % of_each; });
  });
  b.region([&](u32 lane) {
    if (handle[lane] != 0) note_brought(m, handle[lane]);
  });
}

}  // namespace perdure::loop
