// kernels/dispatch/deliver.cuh - the steps "reserve" and "write": from the outbox into the rings.
// Why: one atomic add a destination and batch reserves places; a place beyond the ring's room is simply
//      written later, so nobody overwrites and nobody has to give a reservation back (docs/adr/002).
// Invariant: head <= tail; a word is written only while pos < head + capacity; a pair's order is the places' order.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/long_letters.cuh"
#include "kernels/dispatch/outbox.cuh"
#include "kernels/dispatch/traffic.cuh"

namespace perdure::loop {

/// See overflow.cuh.
template <class Block>
PERDURE_OUT_OF_LINE void carry_or_drop(Block b, on_chip& chip, const memory& mem);

/// Reserves places for all that the batch sent: who has the first message to a destination looks after it.
template <class Block>
void reserve(Block& b, on_chip& c, const memory& m) {
  if constexpr (overflow_is_built) {
    if (c.may_drop != 0) carry_or_drop(b, c, m);
  }
  const u32 used = outbox_used(c, m);
  const u32 to_actors = b.sum_of(used, [&](u32 lane) -> u32 {
    u32 n = 0;
    [[maybe_unused]] traffic_of_lane went;
    for (u32 u = lane; u < used; u += b.lanes()) {
      const outbox_entry entry = entry_at(c, m, u);
      if (entry.words == 0) continue;
      const u32 d = entry.dst;
      if (d != m.workers) ++n;
      if constexpr (places_are_built) {
        if (d != m.workers) went.note(c, m, d, u, outbox_words(c, m, u, entry.words));
      }
      if (entry.offset != 0) continue;
      const u32 words = c[m.out_count][d];
      c[m.out_count][d] = 0;
      if (d == m.workers) {  // the host ring has one producer, this worker
        c[m.out_base][d] = c.host_tail;
        c.host_tail += words;
      } else {
        // relaxed: positions only; the words publish themselves
        c[m.out_base][d] = fetch_add<scope::device>(&m.tails[d].value, u64{words});
        if (d == c.worker) c.own_tail = c[m.out_base][d] + words;
      }
    }
    if constexpr (places_are_built) went.tell(c, m, n);
    return n;
  });
  b.lead([&] {
    c.count[static_cast<u32>(abi::counter::sent)] += to_actors;
    if constexpr (places_are_built) fold_full_traffic(c, m);
  });
}

/// Words of destination `d` that may be written: its head, as last seen, plus its capacity.
/// @memory  acquire: pairs with advance_ring()'s or the host's release; what was read is no longer needed.
inline u64 limit_of(on_chip& c, const memory& m, u32 d, u64 needed) {
  const u64 capacity = u64{1} << (d == m.workers ? m.host_shift : m.ring_shift);
  u64 head = load<order::relaxed, scope::block>(c[m.known_head] + d);
  if (needed <= head + capacity) return head + capacity;
  head = d == m.workers ? load<order::acquire, scope::system>(&m.host_heads[c.worker].value)
                        : load<order::acquire, scope::device>(&m.heads[d].value);
  store<order::relaxed, scope::block>(c[m.known_head] + d, head);
  return head + capacity;
}

/// Reserves `words` words at worker `d` if they may be written at once: a place beyond the ring's room could not be given
/// back. Any lane. @param pos  the tail as last seen; then the place.
inline bool take_room(on_chip& c, const memory& m, u32 d, u32 words, u64& pos) {
  while (pos + words <= limit_of(c, m, d, pos + words)) {
    if (swap_if(&m.tails[d].value, pos, pos + words)) return true;  // else somebody was quicker
  }
  return false;
}

/// Of word `k` of a message that stands at `place`: the lap, and whether it is the first.
constexpr u64 tag_of(u32 place, u32 k, u32 shift) {
  return (((place >> shift) + 1) & 127U) | (k == 0 ? 128U : 0U);
}
/// Writes word `k` of the message at position `pos` of the ring of `dst`. @param pos  its low bits, those of the place and
/// of the lap above it.
inline void write_word(const on_chip& c, const memory& m, u32 dst, u32 pos, u32 k, word w) {
  const bool host = dst == m.workers;
  const u32 shift = host ? m.host_shift : m.ring_shift;
  const u32 at = pos + k;
  const u32 i = at & ((1U << shift) - 1);
  const word out{w.lo, (w.hi & abi::data_mask) | tag_of(at, k, shift) << 56U};
  // relaxed: each word says by its lap that it is whole; the host's are system scope
  if (host) {
    word* ring = m.host_rings + abi::ring_start(c.worker, shift);
    store<order::relaxed, scope::system>(&ring[i], out);
  } else {
    store<order::relaxed, scope::device>(&m.rings[(static_cast<u64>(dst) << shift) + i], out);
  }
}

/// The ring of a destination, worker or host.
struct ring_of_words {
  word* words;
  u32 shift;
};
/// @param worker  whose ring to the host it is.
template <bool ToHost>
ring_of_words ring_of(const memory& m, u32 worker, u32 dst) {
  if constexpr (ToHost) {
    return {m.host_rings + abi::ring_start(worker, m.host_shift), m.host_shift};
  } else {
    return {m.rings + (static_cast<u64>(dst) << m.ring_shift), m.ring_shift};
  }
}
inline ring_of_words ring_of(const memory& m, u32 worker, u32 dst) {
  return dst == m.workers ? ring_of<true>(m, worker, dst) : ring_of<false>(m, worker, dst);
}

/// Writes a message's words from position `pos` on. @param at  (u32 k) -> word k.
/// @tparam Unroll  1, or no less than `words`: then they stay in registers.
template <u32 Unroll, class At>
void write_words(const ring_of_words& ring, u64 pos, u32 words, At at) {
  const u32 mask = (1U << ring.shift) - 1;
#if defined(__CUDACC_RTC__)
#pragma unroll Unroll
#endif
  for (u32 k = 0; k < (Unroll > 1 ? Unroll : words); ++k) {
    if (k > 1 && k >= words) continue;  // each message has two
    const u32 place = static_cast<u32>(pos) + k;
    const word w = at(k);
    const word out{w.lo, (w.hi & abi::data_mask) | tag_of(place, k, ring.shift) << 56U};
    // as write_word(), and of system scope for both: one lane is at work, for which one piece of code is less to fetch
    store<order::relaxed, scope::system>(&ring.words[place & mask], out);
  }
}

/// A long message to the host, whose place is free, by one lane.
inline void write_alone(on_chip& c, const memory& m, u32 unit, u32 words, u64 pos) {
  const long_letter letter{c, m, unit, words};
  write_words<1>(ring_of<true>(m, c.worker, m.workers), pos, letter.words(), letter);
  letter.give_back(m);
}

/// A short message on chip whose place is free: its entry then holds the place's low bits, and lanes side by side write
/// its words, so that they go together.
inline constexpr u32 goes_now = 0x80;
inline bool goes_in_words(const memory& m, u32 unit, u32 words) {
  return words <= unit_words && unit < m.chip_units;
}

/// Writes the messages that goes_whole, and gives their buffers back: each by the lanes side by side that have found it, so
/// that its words go together. It has no collective.
template <class Block>
void write_whole(Block& b, on_chip& c, const memory& m, u32 units) {
  const auto is_one = [&](u32 unit) {
    return (outbox_entry::of(get_here(c[m.entry] + unit)).words & goes_whole) != 0;
  };
  b.each([&](u32 lane) {
    const u32 first = lane / Block::side_by_side * Block::side_by_side;
    const u32 width = b.beside(lane);
    PERDURE_ROLLED
    for (u32 unit = first; unit < units; unit += b.lanes()) {
      PERDURE_ROLLED
      for (u32 u = unit; u < unit + width && u < units; ++u) {
        if (!is_one(u)) continue;
        const outbox_entry entry = outbox_entry::of(get_here(c[m.entry] + u));
        const long_letter letter{c, m, u, abi::words_for(sizeof(u64))};
        PERDURE_ROLLED
        for (u32 k = lane - first; k < letter.words(); k += width)
          write_word(c, m, m.workers, entry.offset, k, letter(k));
      }
    }
  });
  b.meet_side_by_side();
  b.each([&](u32 lane) {
    PERDURE_ROLLED
    for (u32 u = lane; u < units; u += b.lanes()) {
      if (!is_one(u)) continue;
      long_letter{c, m, u, abi::words_for(sizeof(u64))}.give_back(m);
      set_entry(c, m, u, {});
    }
  });
  // who calls counts what its lanes have found, and ptxas takes a warp for undivided behind a call: it is not, where lanes have
  // waited for others in give_buffer()
  b.meet_side_by_side();
}

/// Writes every message of the outbox whose place has become free. It has no collective: the block is a copy, whose turn at
/// the collectives' slots the caller would not see. @return of each lane that has entries, messages still waiting.
template <class Block>
PERDURE_OUT_OF_LINE auto write_free(Block b, on_chip& chip, const memory& mem) ->
    typename Block::template per_lane<u32> {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const u32 used = outbox_used(c, m);
  typename Block::template per_lane<u32> waiting;
  b.each_of(used, [&](u32 lane) {
    waiting[lane] = 0;
    for (u32 u = lane; u < used; u += b.lanes()) {
      const outbox_entry entry = entry_at(c, m, u);
      if (entry.words == 0) continue;
      if ((entry.words & goes_now) != 0) {  // written by the call before
        set_entry(c, m, u, {});
        continue;
      }
      const u64 pos = c[m.out_base][entry.dst] + entry.offset;
      const u32 in_ring = words_in_ring(c, m, u, entry);
      if (pos + in_ring > limit_of(c, m, entry.dst, pos + in_ring)) {
        ++waiting[lane];
        continue;
      }
      if (long_letters_are_built && in_ring != entry.words) {
        if (!Block::in_order && u < m.chip_units) {
          set_entry(c, m, u,
                    {static_cast<u32>(pos), entry.dst, entry.words | goes_now | goes_whole});
          continue;
        }
        write_alone(c, m, u, entry.words, pos);
        set_entry(c, m, u, {});
        continue;
      }
      if (!Block::in_order && goes_in_words(m, u, entry.words)) {
        set_entry(c, m, u, {static_cast<u32>(pos), entry.dst, entry.words | goes_now});
        continue;
      }
      const outbox_place from = outbox_words(c, m, u, entry.words);
      write_words<1>(ring_of(m, c.worker, entry.dst), pos, entry.words,
                     [&](u32 k) { return from.get(k); });
      set_entry(c, m, u, {});
    }
  });
  if constexpr (Block::in_order) return waiting;
  // each group of lanes side by side has found places for just those entries whose words it writes now
  b.meet_side_by_side();
  b.each([&](u32 lane) {
    const u32 on_chip_units = used < m.chip_units ? used : m.chip_units;
    const u32 first = lane / Block::side_by_side * Block::side_by_side;
    const u32 width = b.beside(lane);
    PERDURE_ROLLED
    for (u32 unit = first; unit < on_chip_units; unit += b.lanes()) {
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
      for (u32 n = 0; n < unit_words; ++n) {
        const u32 i = n * width + lane - first;
        const u32 u = unit + i / unit_words;
        const u32 k = i % unit_words;
        if (u >= on_chip_units) break;
        const outbox_entry entry = outbox_entry::of(get_here(c[m.entry] + u));
        if ((entry.words & goes_now) == 0 || k >= (entry.words & ~goes_now)) continue;
        if (long_letters_are_built && (entry.words & goes_whole) != 0) continue;
        write_word(c, m, entry.dst, entry.offset, k, get_here(c[m.out] + u * unit_words + k));
      }
    }
  });
  if constexpr (long_letters_are_built) {
    write_whole(b, c, m, used < m.chip_units ? used : m.chip_units);
  }
  return waiting;
}
/// As above, for all lanes; ends behind a barrier. @return messages still waiting.
template <class Block>
u32 write(Block& b, on_chip& c, const memory& m) {
  auto waiting = write_free(b, c, m);
  return b.sum_of(outbox_used(c, m), [&](u32 lane) { return waiting[lane]; });
}

/// Empties the outbox once all of it is written. Lane 0, after a barrier.
inline void clear_outbox(on_chip& c) {
  c.out_top = 0;
  c.samples = 0;
  c.pending = 0;
}

}  // namespace perdure::loop
