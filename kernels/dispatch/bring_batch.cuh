// kernels/dispatch/bring_batch.cuh - the step "bring": a batch's messages from the host over 240 bytes, to small actors.
// Why: a handler's lane by itself would copy its message eight words at a time; all lanes together have a whole batch's
//      words on their way over the bus at once.
// Invariant: behind it every such message of the batch is brought, so its handler reads the workers' own memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/call.cuh"

namespace perdure::loop {

/// Whether message `n` of a batch is one that is still to be brought. A wide actor's block brings its messages itself.
inline bool is_to_bring(const on_chip& c, const memory& m, u32 n) {
  const u32 at = c[m.start][n];
  const abi::handler_entry entry = c[m.handlers_here][abi::handler_of(c[m.in][at])];
  if (entry.bytes <= abi::inline_payload || c[m.types_here][entry.actor].lanes != 0) return false;
  const u64 handle = handle_in(c[m.in][at + 1]);
  return is_of_host(m, static_cast<u32>(handle)) && !is_brought(m, handle);
}

/// Copies them. All lanes, behind a barrier; ends with one. @param messages  of the batch, at most as many as lanes; some of
/// them are to be brought.
template <class Block>
PERDURE_OUT_OF_LINE void bring_batch(Block b, on_chip& chip, const memory& mem, u32 messages) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const auto handle_of_message = [&](u32 n) { return handle_in(c[m.in][c[m.start][n] + 1]); };
  const auto words_of_message = [&](u32 n) {
    const u32 handler = abi::handler_of(c[m.in][c[m.start][n]]);
    return words_of_bytes(c[m.handlers_here][handler].bytes);
  };
  typename Block::template per_lane<u32> brings;
  typename Block::template per_lane<u64> before;
  const u64 totals = b.scan_flags(before, [&](u32 lane) -> u32 {
    brings[lane] = lane < messages && is_to_bring(c, m, lane) ? 1 : 0;
    return brings[lane];
  });
  const u32 count = static_cast<u32>(totals) & 0xffffU;
  const auto of_each = static_cast<u32>(
      b.most([&](u32 lane) { return u64{brings[lane] != 0 ? words_of_message(lane) : 0}; }));
  // whose messages: in the room where chains are laid out when all are there
  b.region([&](u32 lane) {
    if (brings[lane] == 0) return;
    await_host(m, handle_of_message(lane));
    c[m.order][static_cast<u32>(before[lane]) & 0xffffU] = static_cast<u16>(lane);
  });
  const auto buffer_of = [&](u32 i) {
    return static_cast<u32>(handle_of_message(c[m.order][i / of_each]));
  };
  b.region([&](u32 lane) {
    copy_words(m, lane, count * of_each, b.lanes(), buffer_of, [&](u32 i) {
      const u32 place = i % of_each;
      return place < words_of_message(c[m.order][i / of_each]) ? place : ~0U;
    });
  });
  b.region([&](u32 lane) {
    if (brings[lane] != 0) note_brought(m, handle_of_message(lane));
  });
}

/// Brings what a batch has that is to be brought: of a host lane. All lanes, behind a barrier, which is met again if there is some.
/// Nothing else holds such messages but what was deferred, and that was brought with the batch it came with.
template <class Handle, class Block>
void bring_from(Block& b, on_chip& c, const memory& m, batch_source source, u32 messages) {
  if constexpr (host_buffers_are_built && large_messages_of<Handle>() && !Block::in_order) {
    if (m.host_buffer_count == 0 || !agreed(source.from == batch_source::lane)) return;
    if (b.any([&](u32 lane) { return lane < messages && is_to_bring(c, m, lane); }))
      bring_batch(b, c, m, messages);
  }
}

}  // namespace perdure::loop
