// kernels/dispatch/timers.cuh - messages of ctx.after() whose time has come go into the outbox.
// Why: a timer belongs to the worker of the actor that set it, so no queue is shared.
// Invariant: due messages leave in the order (due time, stamp of the call), so a pair's order holds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/handle.cuh"

namespace perdure::loop {

/// Sends up to `most` due messages, each an event of its sender; those that would take more than a quarter of the
/// outbox wait for the next turn, since the batch in hand must find room. @return how many.
template <class Block>
PERDURE_OUT_OF_LINE u32 fire_timers(Block b, on_chip& chip, const memory& mem, u64 now_ns,
                                    u32 most) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  timer_slot* timers = m.timers + static_cast<u64>(c.worker) * m.timer_capacity;
  u32* free_slots = m.timer_free + static_cast<u64>(c.worker) * m.timer_capacity;
  u32 fired = 0;
  while (fired < most && c.out_top * 4 <= m.out_units) {
    const u64 earliest = b.least64([&](u32 lane) {
      u64 best = ~u64{0};
      PERDURE_ROLLED
      for (u32 i = lane; i < m.timer_capacity; i += b.lanes()) {
        if (timers[i].due_ns != 0 && timers[i].due_ns < best) best = timers[i].due_ns;
      }
      return best;
    });
    if (earliest > now_ns) {
      b.once([&] { c.timer_due = earliest; });
      return fired;
    }
    const u64 first = b.least64([&](u32 lane) {  // among equals, the one set first
      u64 best = ~u64{0};
      PERDURE_ROLLED
      for (u32 i = lane; i < m.timer_capacity; i += b.lanes()) {
        if (timers[i].due_ns == earliest && timers[i].stamp < best) best = timers[i].stamp;
      }
      return best;
    });
    const u32 chosen = b.least([&](u32 lane) {
      PERDURE_ROLLED
      for (u32 i = lane; i < m.timer_capacity; i += b.lanes()) {
        if (timers[i].due_ns == earliest && timers[i].stamp == first) return i;
      }
      return ~0U;
    });
    b.once([&] {
      timer_slot& t = timers[chosen];
      const u64 stamp = ++c.clock;
      ++c.count[static_cast<u32>(abi::counter::timers_fired)];
      const u32 words = abi::words_of(t.data[0]);
      const u32 handler = abi::handler_of(t.data[0]);
      const bool lost = t.receiver == 0 || abi::ref_system(t.receiver) != m.system;
      const outbox_place place =
          lost ? outbox_place{}
               : place_message(c, m, destination(c, m, t.receiver, handler), words);
      if (!place) {
        ++c.count[static_cast<u32>(abi::counter::sent)];
        dead_letter(c, m,
                    !lost             ? abi::dead_reason::exhausted
                    : t.receiver == 0 ? abi::dead_reason::null_ref
                                      : abi::dead_reason::foreign,
                    abi::sender_of(t.data[0]), t.receiver, handler);
        if (c[m.handlers_here][handler].bytes > abi::inline_payload)
          give_buffer(m, message_view{t.data, &m, words}.handle());
      } else {
        note_timer(c, m, abi::sender_of(t.data[0]), t.stamp, stamp);
        t.data[1].lo = (t.data[1].lo & ~abi::data_mask) | abi::stamp_to_wire(stamp);
        PERDURE_ROLLED
        for (u32 k = 0; k < words; ++k) place.put(k, t.data[k]);
      }
      t.due_ns = 0;
      free_slots[c.timer_top++] = chosen;
    });
    ++fired;
  }
  return fired;
}

}  // namespace perdure::loop
