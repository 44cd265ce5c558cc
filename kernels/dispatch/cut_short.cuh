// kernels/dispatch/cut_short.cuh - what a worker that is told to halt still has for the host.
// Why: messages to actors were counted when they were sent, so what is left of them shows in the books; letters to
//      mailboxes were not, and those that have found no room in the ring to the host would be lost in silence.
// Invariant: behind it a letter is in the ring, with none missing before it, or is a counted dead letter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/deliver.cuh"

namespace perdure::loop {

/// Writes what has room, and counts the letters that have none. One lane, so that the loop keeps its registers; before the
/// counters are told, and then the worker is gone.
PERDURE_OUT_OF_LINE inline void cut_short(on_chip& chip, const memory& mem) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  // one look for all: lanes that looked one after another may have written a later message and not an earlier one
  const u64 room_end =
      load<order::acquire, scope::system>(&m.host_heads[c.worker].value) + (u64{1} << m.host_shift);
  const u32 used = outbox_used(c, m);
  PERDURE_ROLLED
  for (u32 u = 0; u < used; ++u) {
    const outbox_entry entry = entry_at(c, m, u);
    if (entry.dst != m.workers || entry.words == 0 || (entry.words & goes_now) != 0) continue;
    const outbox_place from = outbox_words(c, m, u, entry.words);
    const u64 pos = c[m.out_base][entry.dst] + entry.offset;
    const u32 in_ring = words_in_ring(m, entry.dst, entry.words, from.get(0));
    if (pos + in_ring <= room_end) {
      if (long_letters_are_built && in_ring != entry.words) {
        write_alone(c, m, u, entry.words, pos);
        continue;
      }
      write_words<1>(ring_of<true>(m, c.worker, entry.dst), pos, entry.words,
                     [&](u32 k) { return from.get(k); });
    } else if (abi::host_kind_of(from.get(0)) == abi::host_kind::mailbox) {
      count(c, abi::counter::sent);
      count_dead(c, abi::dead_reason::shutdown);
    }
  }
}

}  // namespace perdure::loop
