// kernels/dispatch/outbox.cuh - gathers what a batch sends: on chip first, then in device memory.
// Why: one reservation a destination and batch; a handler may send any number and never waits.
// Invariant: within one destination, offsets follow the order in which one lane placed its messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/payload.cuh"
#include "kernels/dispatch/on_chip.cuh"

namespace perdure::loop {

/// Where word `slot` of the outbox lies; a message is never split between chip and memory.
inline word* outbox_words(on_chip& c, u32 slot, u32 words) {
  return (slot + words <= c.chip_out_words ? c.out : c.far_words) + slot;
}
inline outbox_entry& outbox_at(on_chip& c, u32 entry) {
  return (entry < c.chip_entries ? c.entry : c.far_entries)[entry];
}

/// Any lane: a place for a message of `words` words whose offset at `dst` is already known.
inline word* place_at(on_chip& c, u32 dst, u32 offset, u32 slot, u32 words) {
  const u32 entry = grouped_add(&c.entries, 1U);
  outbox_at(c, entry) = outbox_entry{slot, offset, static_cast<u16>(dst), static_cast<u16>(words)};
  if (slot + words > c.chip_out_words) count(c, abi::counter::outbox_overflow);
  if (dst == c.workers) fetch_add<scope::block>(&c.host_entries, 1U);
  return outbox_words(c, slot, words);
}

/// Any lane: makes room for a message of `words` words to `dst`; null if the outbox is spent.
inline word* place_message(on_chip& c, u32 dst, u32 words) {
  const u32 slot = grouped_add(&c.out_top, words);
  if (slot + words > c.out_capacity) return nullptr;
  return place_at(c, dst, fetch_add<scope::block>(&c.out_count[dst], words), slot, words);
}

/// Writes envelope and payload into place; `raw` holds the payload in 32-bit pieces, zero behind its end.
template <u32 Pieces>
void write_message(word* at, u64 lo, u64 sender, u64 stamp, const u32 (&raw)[Pieces], u32 words) {
  at[0] = word{lo, sender & abi::data_mask};
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
  for (int k = 1; k < static_cast<int>(words); ++k) {
    at[k] = abi::payload_word(raw, k, abi::stamp_to_wire(stamp));
  }
}

/// A note to the host in 32-bit pieces. False if the outbox is spent.
template <u32 Pieces>
bool post_to_host(on_chip& c, abi::host_kind kind, u32 index, u64 sender, u64 stamp,
                  const u32 (&raw)[Pieces]) {
  constexpr u32 words = abi::words_for(Pieces * 4);
  word* at = place_message(c, c.workers, words);
  if (at == nullptr) return false;
  write_message(at, abi::envelope_lo(index, 0, static_cast<u32>(kind), words), sender, stamp, raw,
                words);
  return true;
}

/// Any lane: counts a dead letter, reports a sample of them to the host, and ends an ask at once.
/// @param sender  56 bits as on the wire; an ask is told that its receiver is down.
PERDURE_OUT_OF_LINE inline void dead_letter(on_chip& c, abi::dead_reason why, u64 sender,
                                            u64 receiver, u32 handler) {
  count_dead(c, why);
  constexpr u32 samples_a_batch = 4;
  const bool asked = abi::ref_type(sender) == abi::ask_type;
  if (!asked && fetch_add<scope::block>(&c.samples, 1U) >= samples_a_batch) return;
  const u32 note[4] = {static_cast<u32>(receiver), static_cast<u32>(receiver >> 32U), handler,
                       static_cast<u32>(why)};
  post_to_host(c, asked ? abi::host_kind::receiver_down : abi::host_kind::dead_letter,
               asked ? abi::ref_index(sender) : 0, sender, c.clock, note);
}

}  // namespace perdure::loop
