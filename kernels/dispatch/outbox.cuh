// kernels/dispatch/outbox.cuh - gathers what a batch sends: on chip first, then in device memory.
// Why: one reservation a destination and batch; a handler may send any number and never waits.
// Invariant: within one destination, offsets follow the order in which one lane placed its messages.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/payload.cuh"
#include "kernels/dispatch/on_chip.cuh"

namespace perdure::loop {

/// A message's room in the outbox: on chip, or in memory; never split between the two. The two kinds of memory are
/// accessed apart, since a pointer that may be either costs more.
struct outbox_place {
  word* here = nullptr;
  word* far = nullptr;

  explicit operator bool() const { return here != nullptr || far != nullptr; }
  void put(u32 k, word w) const {
    if (here != nullptr) {
      put_here(here + k, w);
    } else {
      store<order::relaxed, scope::device>(far + k, w);
    }
  }
  word get(u32 k) const {
    return here != nullptr ? get_here(here + k) : load<order::relaxed, scope::device>(far + k);
  }
};
inline outbox_place outbox_words(on_chip& c, const memory& m, u32 unit, u32 words) {
  outbox_place at;
  if (unit + units_for(words) <= m.chip_units) {
    at.here = c[m.out] + unit * unit_words;
  } else {
    at.far = m.out_words + (static_cast<u64>(c.worker) * m.out_units + unit) * unit_words;
  }
  return at;
}

inline outbox_entry entry_at(on_chip& c, const memory& m, u32 unit) {
  if (unit < m.chip_units) return outbox_entry::of(get_here(c[m.entry] + unit));
  const u64 at = static_cast<u64>(c.worker) * m.out_units + unit;
  return outbox_entry::of(load<order::relaxed, scope::device>(m.out_entries + at));
}
inline void set_entry(on_chip& c, const memory& m, u32 unit, outbox_entry e) {
  if (unit < m.chip_units) return put_here(c[m.entry] + unit, e.bits());
  const u64 at = static_cast<u64>(c.worker) * m.out_units + unit;
  store<order::relaxed, scope::device>(m.out_entries + at, e.bits());
}
/// Units of the outbox that hold entries.
inline u32 outbox_used(const on_chip& c, const memory& m) {
  return c.out_top < m.out_units ? c.out_top : m.out_units;
}

/// Words that a message will take in the ring: of a long one to the host more than its handle takes here. @param first  its
/// first word.
inline u32 words_in_ring(const memory& m, u32 dst, u32 words, word first) {
  if constexpr (!long_letters_are_built) return words;
  return dst == m.workers ? abi::words_to_host(first) : words;
}
/// The same of one that is in the outbox. @param unit  its first.
inline u32 words_in_ring(on_chip& c, const memory& m, u32 unit, outbox_entry entry) {
  if constexpr (!long_letters_are_built) return entry.words;
  if (entry.dst != m.workers) return entry.words;
  return abi::words_to_host(outbox_words(c, m, unit, entry.words).get(0));
}

/// Any lane: a unit on chip is the first of a message of `words` words, which will take `in_ring`.
inline void enter_here(on_chip& c, const memory& m, u32 dst, u32 unit, u32 words, u32 in_ring) {
  // relaxed: a place only
  const u32 offset = fetch_add<scope::block>(&c[m.out_count][dst], in_ring);
  put_here(c[m.entry] + unit, outbox_entry{offset, dst, words}.bits());
  if (!waits(m, dst)) store<order::relaxed, scope::block>(&c.may_drop, 1U);
}

/// Any lane: what stands behind its entry of a message whose units are on chip and its own. @param at  (u32 k) -> word k.
template <u32 Words, class At>
void put_words_here(on_chip& c, const memory& m, u32 unit, At at) {
  constexpr u32 units = units_for(Words);
  for (u32 more = 1; more < units; ++more)
    put_here(c[m.entry] + unit + more, outbox_entry{}.bits());
  word* const here = c[m.out] + unit * unit_words;
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
  for (u32 k = 0; k < Words; ++k) put_here(here + k, at(k));
}

/// Any lane: enters a message of `words` words, whose units and whose offset at `dst` are known.
inline outbox_place enter_message(on_chip& c, const memory& m, u32 dst, u32 offset, u32 unit,
                                  u32 words) {
  set_entry(c, m, unit, {offset, dst, words});
  if (!waits(m, dst)) store<order::relaxed, scope::block>(&c.may_drop, 1U);
  const u32 end = unit + units_for(words);
  PERDURE_ROLLED
  for (u32 more = unit + 1; more < end; ++more) set_entry(c, m, more, {});
  if (end > m.chip_units) count(c, abi::counter::outbox_overflow);
  return outbox_words(c, m, unit, words);
}

/// Any lane: enters a short message, whose one unit is known and is not on chip; none if the outbox is spent.
/// The unit is then given back: nobody has a place there, so it is as if it had not been asked for.
inline outbox_place enter_far(on_chip& c, const memory& m, u32 dst, u32 unit, u32 words,
                              u32 in_ring) {
  if (unit >= m.out_units) {
    fetch_add<scope::block>(&c.out_top, ~0U);  // minus one; relaxed: a number only
    return {};
  }
  // relaxed: a place only
  return enter_message(c, m, dst, fetch_add<scope::block>(&c[m.out_count][dst], in_ring), unit,
                       words);
}

/// Any lane: whether the outbox is spent already: adding on and on would wrap around.
inline bool is_spent(const on_chip& c, const memory& m) {
  return load<order::relaxed, scope::block>(&c.out_top) > m.out_units;
}
/// Any lane: enters a message of `words` words, whose units are taken from out_top; none if there are no such units.
inline outbox_place place_at(on_chip& c, const memory& m, u32 dst, u32 unit, u32 words,
                             u32 in_ring) {
  if (unit + units_for(words) > m.out_units) {
    PERDURE_ROLLED
    for (u32 u = unit; u < m.out_units; ++u) set_entry(c, m, u, {});
    return {};
  }
  return enter_message(c, m, dst, fetch_add<scope::block>(&c[m.out_count][dst], in_ring), unit,
                       words);
}
/// Any lane: takes units in a row for several messages. @return the first of them, or no_units: the outbox is all but
/// spent.
inline constexpr u32 no_units = ~u32{0};
inline u32 units_in_a_row(on_chip& c, const memory& m, u32 units) {
  if (load<order::relaxed, scope::block>(&c.out_top) + units > m.out_units) return no_units;
  const u32 first = fetch_add<scope::block>(&c.out_top, units);  // relaxed: a number only
  if (first + units <= m.out_units) return first;
  PERDURE_ROLLED
  for (u32 u = first; u < m.out_units; ++u) set_entry(c, m, u, {});
  return no_units;
}
/// Any lane: makes room for a message of `words` words to an actor at `dst`; none if the outbox is spent.
inline outbox_place place_message(on_chip& c, const memory& m, u32 dst, u32 words) {
  if (is_spent(c, m)) return {};
  return place_at(c, m, dst, fetch_add<scope::block>(&c.out_top, units_for(words)), words, words);
}

}  // namespace perdure::loop
