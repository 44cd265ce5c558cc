// kernels/dispatch/overflow.cuh - messages to actors for which nobody waits: carried out where there is room, else lost.
// Why: a place that was reserved cannot be given back (docs/adr/002), so of these messages only as many get one as have
//      room; they are written at once, and the outbox keeps none of them (docs/adr/018).
// Invariant: of one sender's messages to one worker a prefix is carried out and the rest is lost: the order stays. Behind
//            carry_or_drop() each of them is in a ring, or is a counted dead letter whose buffer is free.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/buffers.cuh"
#include "kernels/dispatch/emit.cuh"

namespace perdure::loop {

/// Of the words for destination `dst`, which begin at out_base, so many have room, as far as is known.
inline bool has_room(const on_chip& c, const memory& m, u32 dst, u32 words) {
  const u64 head = load<order::relaxed, scope::block>(c[m.known_head] + worker_behind(m, dst));
  return c[m.out_base][dst] + words <= head + (u64{1} << m.ring_shift);
}

/// Any lane: a message of the outbox for which there is no room.
inline void lose(on_chip& c, const memory& m, const outbox_place& message) {
  const word first = message.get(0);
  const u32 handler = abi::handler_of(first);
  const abi::handler_entry entry = c[m.handlers_here][handler];
  count(c, abi::counter::sent);
  if (entry.bytes > abi::inline_payload) drop_buffer(m, handle_in(message.get(1)));
  lose_newest(c, m, abi::sender_of(first),
              abi::make_ref(abi::receiver_index(first), abi::receiver_generation(first),
                            entry.actor, m.system),
              handler);
}

/// Carries out, or loses, every message of the outbox that does not wait. All lanes, behind a barrier.
/// Each round begins with the room there is and ends with the attempt to take it; who fails has been overtaken by
/// another worker, so that some worker always comes on, and has less room in the next round.
template <class Block>
PERDURE_OUT_OF_LINE void carry_or_drop(Block b, on_chip& chip, const memory& mem) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 used = outbox_used(c, m);
  auto each = [&](u32 lane, auto f) {
    PERDURE_ROLLED
    for (u32 u = lane; u < used; u += b.lanes()) {
      const outbox_entry entry = entry_at(c, m, u);
      if (entry.words != 0 && !waits(m, entry.dst)) f(u, entry, worker_behind(m, entry.dst));
    }
  };
  // who has the first message to a destination looks after it; out_count is 0 where that is settled
  auto each_first = [&](u32 lane, auto f) {
    each(lane, [&](u32, outbox_entry entry, u32 d) {
      if (entry.offset == 0 && c[m.out_count][entry.dst] != 0) f(entry.dst, d);
    });
  };
  PERDURE_ROLLED
  for (u32 open = 1; open != 0;) {
    b.region([&](u32 lane) {
      each_first(lane, [&](u32 dst, u32 d) {
        const u64 tail = load<order::relaxed, scope::device>(&m.tails[d].value);
        c[m.out_base][dst] = tail;
        c[m.granted][d] = 0;
        limit_of(c, m, d, tail + c[m.out_count][dst]);
      });
    });
    b.region([&](u32 lane) {
      each(lane, [&](u32, outbox_entry entry, u32 d) {
        if (c[m.out_count][entry.dst] == 0) return;
        const u32 end = entry.offset + entry.words;
        if (has_room(c, m, entry.dst, end)) fetch_max<scope::block>(&c[m.granted][d], end);
      });
    });
    open = b.sum([&](u32 lane) -> u32 {
      u32 overtaken = 0;
      each_first(lane, [&](u32 dst, u32 d) {
        const u32 words = c[m.granted][d];
        if (words != 0) {
          if (!take_room(c, m, d, words, c[m.out_base][dst])) {
            ++overtaken;
            return;
          }
          if (d == c.worker) c.own_tail = c[m.out_base][dst] + words;
        }
        c[m.out_count][dst] = 0;
      });
      return overtaken;
    });
  }
  b.region([&](u32 lane) {
    each(lane, [&](u32 u, outbox_entry entry, u32 d) {
      const outbox_place from = outbox_words(c, m, u, entry.words);
      if (entry.offset + entry.words <= c[m.granted][d]) {
        write_words<1>(ring_of(m, c.worker, d), c[m.out_base][entry.dst] + entry.offset,
                       entry.words, [&](u32 k) { return from.get(k); });
        count(c, abi::counter::sent);
        if constexpr (places_are_built) note_sent(c, m, d, u, from.get(0));
      } else {
        lose(c, m, from);
      }
      set_entry(c, m, u, {});
    });
  });
  b.lead([&] { c.may_drop = 0; });
}

}  // namespace perdure::loop
