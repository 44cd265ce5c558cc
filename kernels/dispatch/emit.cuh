// kernels/dispatch/emit.cuh - how a message leaves a handler: into the outbox, or straight into the ring.
// Why: one copy of this code for each length in words, called and not inlined: a program has many places that send,
//      and a loop that does not stay in the instruction cache spends its time fetching itself.
// Invariant: straight only while one lane is at work, which began with an empty outbox, so that a pair's order holds; a
//            place is reserved only when the outbox could keep the message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/buffers.cuh"
#include "kernels/dispatch/deliver.cuh"
#include "kernels/dispatch/traffic.cuh"

namespace perdure::loop {

/// A message joins those in hand, if it is for this worker and may: it never leaves the chip. The one lane that is at work.
/// @tparam Unroll  1, or no less than `words`: then so many are written, without a branch for each; the next message
///                 overwrites those that say nothing. @param few,worker  as on chip. @param at  (u32 k) -> word k.
template <u32 Unroll, class At>
bool join_few(on_chip& c, const memory& m, few_in_hand few, u32 worker, u32 dst, u32 words, At at) {
  u32* const start = c[m.start];
  word* const in = c[m.in];
  const u32 written = Unroll > 1 ? Unroll : words;
  // read side by side and asked in one: each branch takes half as long as a read
  const u32 no_room = few.words + written > m.in_words || few.room == 0 ? 1 : 0;
  if ((no_room | (dst ^ worker)) != 0) return false;
  const u32 handler = abi::handler_of(at(0));
  if (has_wide(m) && c[m.types_here][c[m.handlers_here][handler].actor].lanes != 0) return false;
  c.few = {few.room - 1, few.messages + 1, few.words + words, few.most};
  start[few.messages] = few.words;
#if defined(__CUDACC_RTC__)
#pragma unroll Unroll
#endif
  for (u32 k = 0; k < written; ++k) put_here(in + few.words + k, at(k));
  return true;
}

/// As send_straight(), of a message that does not wait. @return false, and c.refused, if there is no room.
template <u32 Unroll, class At>
bool send_or_refuse(on_chip& c, const memory& m, u32 dst, u32 words, At at) {
  const u32 d = worker_behind(m, dst);
  if (join_few<Unroll>(c, m, c.few, c.worker, d, words, at)) return true;
  u64 pos = load<order::relaxed, scope::device>(&m.tails[d].value);
  if (!take_room(c, m, d, words, pos)) {
    c.refused = 1;
    return false;
  }
  if (d == c.worker) {
    c.own_tail = pos + words;
    close_few(c);
  }
  write_words<Unroll>(ring_of<false>(m, c.worker, d), pos, words, at);
  return true;
}

/// What has become of a message that was sent straight: in its ring; or with a place there, but no room yet, so that it is to
/// be kept; or nowhere, as the outbox is spent, or there is no room and it does not wait.
struct went_straight {
  enum kind : u32 { there, keep, nowhere };
  kind what;
  u64 pos = 0;  ///< its place
};

/// Reserves a place at `dst`, a worker or the host, and writes the message there if there is room. As send_straight().
template <bool ToHost, u32 Unroll, class At>
went_straight place_straight(on_chip& c, const memory& m, u32 worker, u32 dst, u32 words, At at) {
  const u64 known = load<order::relaxed, scope::block>(c[m.known_head] + dst) +
                    (u64{1} << (ToHost ? m.host_shift : m.ring_shift));
  u64 pos;
  if constexpr (ToHost) {
    pos = c.host_tail;
  } else {
    pos = fetch_add<scope::device>(&m.tails[dst].value, u64{words});  // relaxed: positions only
  }
  const u32 in_ring = ToHost ? words_in_ring(m, dst, words, at(0)) : words;
  ring_of_words ring =
      ring_of<ToHost>(m, worker, dst);  // while the place is under way, as the packed words
  ring.words = reinterpret_cast<word*>(by_now(reinterpret_cast<u64>(ring.words)));
  word packed[Unroll];
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
  for (u32 k = 0; Unroll > 1 && k < Unroll; ++k) packed[k] = at(k);
  if constexpr (ToHost) {
    c.host_tail = pos + in_ring;
    if (in_ring != words) return {went_straight::keep, pos};  // all lanes write it
  } else if (dst == worker) {  // what is sent to it from now on must come behind
    c.own_tail = pos + words;
    close_few(c);
  }
  if (pos + words > known && pos + words > limit_of(c, m, dst, pos + words))
    return {went_straight::keep, pos};
  write_words<Unroll>(ring, pos, words, [&](u32 k) { return Unroll > 1 ? packed[k] : at(k); });
  return {went_straight::there};
}

/// The one lane that is at work. @param few,worker  as on chip. @param at  (u32 k) -> word k.
template <u32 Unroll, class At>
went_straight send_straight(on_chip& c, const memory& m, few_in_hand few, u32 worker, u32 dst,
                            u32 words, At at) {
  if (!waits(m, dst)) {
    const bool sent = send_or_refuse<Unroll>(c, m, dst, words, at);
    return {sent ? went_straight::there : went_straight::nowhere};
  }
  if (join_few<Unroll>(c, m, few, worker, dst, words, at)) return {went_straight::there};
  if (c.out_top + units_for(words) > m.out_units) return {went_straight::nowhere};
  if (dst == m.workers) return place_straight<true, Unroll>(c, m, worker, dst, words, at);
  return place_straight<false, Unroll>(c, m, worker, dst, words, at);
}

/// Keeps a message that has a place in the outbox, where there is room, until there is room there, too. The one lane that is at
/// work.
template <u32 Unroll, class At>
void keep_placed(on_chip& c, const memory& m, u32 dst, u64 pos, u32 words, At at) {
  const u32 unit = c.out_top;
  // entries of this outbox count from the first one kept for the destination
  if (c[m.out_count][dst] == 0) {
    c[m.out_count][dst] = 1;
    c[m.out_base][dst] = pos;
  }
  c.out_top = unit + units_for(words);
  close_few(c);
  const u32 offset = static_cast<u32>(pos - c[m.out_base][dst]);
  const outbox_place kept = enter_message(c, m, dst, offset, unit, words);
#if defined(__CUDACC_RTC__)
#pragma unroll Unroll
#endif
  for (u32 k = 0; k < words; ++k) kept.put(k, at(k));
}

/// What send_straight() kept is reserved already: in place of reserve(). The one lane that is at work.
inline void reserved_straight(on_chip& c, const memory& m) {
  const u32 used = outbox_used(c, m);
  PERDURE_ROLLED
  for (u32 u = 0; u < used; ++u) {
    const outbox_entry entry = entry_at(c, m, u);
    if (entry.words != 0) c[m.out_count][entry.dst] = 0;
  }
}

/// Where a message for an actor goes.
inline u32 destination(const on_chip& c, const memory& m, u64 to, u32 handler) {
  u32 place = abi::ref_index(to);
  if constexpr (places_are_built) place = place_of(c, m, c[m.handlers_here][handler].actor, place);
  const u32 worker = worker_of(m, place);
  if constexpr (overflow_is_built) {
    if (m.overflow_rules != 0 && c[m.handlers_here][handler].on_overflow != abi::overflow::wait)
      return m.workers + 1 + worker;
  }
  return worker;
}

/// Of a message that has a place, or is there. The one lane that is at work. @param first  its first word.
inline void count_straight(on_chip& c, const memory& m, u32 dst, word first) {
  if (dst == m.workers) return;
  count(c, abi::counter::sent);
  if constexpr (places_are_built) note_straight(c, m, dst, first);
}
/// As send_straight(); what has no room yet is kept. @return false: it is nowhere.
template <u32 Unroll, class At>
bool emit_straight(on_chip& c, const memory& m, u32 dst, u32 words, At at) {
  const went_straight went = send_straight<Unroll>(c, m, c.few, c.worker, dst, words, at);
  if (went.what == went_straight::nowhere) return false;
  if (went.what == went_straight::keep) keep_placed<Unroll>(c, m, dst, went.pos, words, at);
  count_straight(c, m, dst, at(0));
  return true;
}

/// Any lane: makes room in the outbox for a message of `words` words, and puts it there. @return false if the outbox is spent.
/// @tparam Unroll  1, or `words`, or of a short message no less. What is known to the compiler nearly always finds its units on
///                 chip: few instructions then.
template <u32 Unroll, class At>
bool put_into_outbox(on_chip& c, const memory& m, u32 dst, u32 words, At at) {
  constexpr bool is_short = Unroll > 1 && Unroll <= unit_words;
  const u32 in_ring = words_in_ring(m, dst, words, at(0));
  constexpr u32 units = Unroll > 1 ? units_for(Unroll) : 0;
  outbox_place place;
  if constexpr (is_short) {
    const u32 unit = fetch_add<scope::block>(&c.out_top, 1U);  // relaxed: a number only
    if (unit < m.chip_units) [[likely]] {
      enter_here(c, m, dst, unit, words, in_ring);
      put_words_here<Unroll>(c, m, unit, at);  // nobody reads behind its end
      return true;
    }
    place = enter_far(c, m, dst, unit, words, in_ring);
  } else {
    if (is_spent(c, m)) return false;
    const u32 unit = fetch_add<scope::block>(&c.out_top, units_for(words));
    if (units != 0 && unit + units <= m.chip_units) [[likely]] {
      enter_here(c, m, dst, unit, words, in_ring);
      put_words_here<Unroll>(c, m, unit, at);
      return true;
    }
    place = place_at(c, m, dst, unit, words, in_ring);
  }
  if (!place) return false;
#if defined(__CUDACC_RTC__)
#pragma unroll Unroll
#endif
  for (u32 k = 0; k < (Unroll > 1 ? Unroll : words); ++k) {
    if (k < words) place.put(k, at(k));
  }
  return true;
}

/// Sends `words` words to a destination. Any lane. @param straight  on_chip::straight, if the caller knows it.
/// @return false if the outbox is spent, or c.refused.
template <u32 Unroll, class At>
bool emit_words(on_chip& c, const memory& m, u32 dst, u32 words, At at, bool straight) {
  if (straight) return emit_straight<Unroll>(c, m, dst, words, at);
  return put_into_outbox<Unroll>(c, m, dst, words, at);
}
template <u32 Unroll, class At>
bool emit_words(on_chip& c, const memory& m, u32 dst, u32 words, At at) {
  return emit_words<Unroll>(c, m, dst, words, at, c.straight != 0);
}

/// A payload on its way, in registers: 32-bit pieces, zero behind its end.
template <u32 Words>
struct payload_pieces {
  static constexpr u32 count = (abi::word_bytes * Words - abi::header_bytes + 3) / 4;
  u32 at[count];

  word operator()(u32 k, u64 lo, u64 sender, u64 stamp) const {
    if (k == 0) return word{lo, sender & abi::data_mask};
    return abi::payload_word(at, static_cast<int>(k), abi::stamp_to_wire(stamp));
  }
};

template <u32 Words>
PERDURE_OUT_OF_LINE bool emit(on_chip& chip, const memory& mem, u32 dst, u64 lo, u64 sender,
                              u64 stamp, payload_pieces<Words> payload) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  return emit_words<Words>(c, m, dst, Words, [&](u32 k) { return payload(k, lo, sender, stamp); });
}

/// A message that has been sent but has no place yet: the last one of a handler that is a short one. It is placed when the
/// next one is sent or the handler is over, so that lanes that sent different messages do that side by side.
inline constexpr u32 held_words = 4;
struct held_send {
  u32 words = 0;  ///< 0: none
  u32 dst = 0;
  u64 lo = 0;
  u64 stamp = 0;
  payload_pieces<held_words> payload{};
};

/// A note to the host in 32-bit pieces. False if the outbox is spent.
template <u32 Pieces>
bool post_to_host(on_chip& c, const memory& m, abi::host_kind kind, u32 index, u64 sender,
                  u64 stamp, const u32 (&raw)[Pieces]) {
  constexpr u32 words = abi::words_for(Pieces * 4);
  payload_pieces<words> payload{};
  for (u32 i = 0; i < Pieces; ++i) payload.at[i] = raw[i];
  return emit<words>(c, m, m.workers, abi::envelope_lo(index, 0, abi::host_handler(kind), words),
                     sender, stamp, payload);
}

/// Any lane: counts a dead letter, reports a sample of them to the host, and ends an ask at once.
/// @param sender  56 bits as on the wire; an ask is told that its receiver is down. @param told  whatever has been reported.
PERDURE_OUT_OF_LINE inline void dead_letter(on_chip& chip, const memory& mem, abi::dead_reason why,
                                            u64 sender, u64 receiver, u32 handler,
                                            bool told = false) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  count_dead(c, why);
  constexpr u32 samples_a_batch = 4;
  const bool asked = abi::ref_type(sender) == abi::ask_type;
  if (!asked && fetch_add<scope::block>(&c.samples, 1U) >= samples_a_batch && !told) return;
  const u32 note[4] = {static_cast<u32>(receiver), static_cast<u32>(receiver >> 32U), handler,
                       static_cast<u32>(why)};
  post_to_host(c, m, asked ? abi::host_kind::receiver_down : abi::host_kind::dead_letter,
               asked ? abi::ref_index(sender) : 0, sender, c.clock, note);
}

/// Between which types a message was lost.
inline u64 pair_of_types(u64 from, u64 to) {
  return 1ULL << 16U | abi::ref_type(from) << 8U | abi::ref_type(to);
}

/// Any lane: a message, counted as sent, that found no room and does not wait. @param sender  56 bits as on the wire.
inline void lose_newest(on_chip& c, const memory& m, u64 sender, u64 to, u32 handler) {
  if (c[m.handlers_here][handler].on_overflow != abi::overflow::fail)
    return dead_letter(c, m, abi::dead_reason::dropped, sender, to, handler);
  u64 none = 0;  // the worker's first one fails the system, so the host must be told of it
  const bool first = swap_if(&c.count[static_cast<u32>(abi::counter::overflow_pair)], none,
                             pair_of_types(sender, to));
  dead_letter(c, m, abi::dead_reason::overflowed, sender, to, handler, first);
}

/// Any lane: a message to an actor for which outbox, timers or buffers had no room; or, if c.refused, the ring of a
/// receiver for which nobody waits.
PERDURE_OUT_OF_LINE inline void exhausted(on_chip& chip, const memory& mem, u64 from, u64 to,
                                          u32 handler) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  count(c, abi::counter::sent);
  if constexpr (overflow_is_built) {
    if (c.refused != 0) {  // one lane is at work
      c.refused = 0;
      return lose_newest(c, m, from & abi::data_mask, to, handler);
    }
  }
  store<order::relaxed, scope::block>(&c.count[static_cast<u32>(abi::counter::exhausted_pair)],
                                      pair_of_types(from, to));
  dead_letter(c, m, abi::dead_reason::exhausted, from & abi::data_mask, to, handler);
}

/// A message to the host for which the outbox had no room: counted as sent, so that the loss shows in the books.
inline void lost_to_host(on_chip& c) {
  count(c, abi::counter::sent);
  count_dead(c, abi::dead_reason::exhausted);
}

/// One for which there was no buffer. @param asker  sender field of the message in hand, which matters to an answer.
inline void no_buffer_to_host(on_chip& c, bool is_reply, u64 asker) {
  if (!is_reply) {
    count(c, abi::counter::to_host);
  } else if (asker == 0 || abi::ref_type(asker) != abi::ask_type) {
    return count(c, abi::counter::unasked);
  } else {
    count(c, abi::counter::replies);
  }
  lost_to_host(c);
}

/// Of a message that is held, by constants, so that it stays in registers. @param self  reference of the sender.
inline auto words_of_held(const held_send& held, u64 self) {
  const auto packed = [&held, self](u32 k) {
    return held.payload(k, held.lo, self & abi::data_mask, held.stamp);
  };
  return [packed](u32 k) {
    return k == 0 ? packed(0) : k == 1 ? packed(1) : k == 2 ? packed(2) : packed(3);
  };
}
static_assert(held_words == 4);

/// Any lane: one that was held found no room, so it is a dead letter, and its buffer goes back. @param self  as above.
inline void lose_held(on_chip& c, const memory& m, u64 self, const held_send& held) {
  const word first{held.lo, 0};
  if (held.dst == m.workers) {
    if (long_letters_are_built && abi::is_long_to_host(first)) give_buffer(m, held.payload.at[0]);
    return lost_to_host(c);
  }
  const u32 handler = abi::handler_of(first);
  const abi::handler_entry entry = c[m.handlers_here][handler];
  if (entry.bytes > abi::inline_payload) give_buffer(m, held.payload.at[0]);
  exhausted(c, m, self,
            abi::make_ref(abi::receiver_index(first), abi::receiver_generation(first), entry.actor,
                          m.system),
            handler);
}
/// What a lone message's answer comes to that found no room at once. The one lane that is at work.
PERDURE_OUT_OF_LINE inline void keep_or_lose(on_chip& chip, const memory& mem, u64 self,
                                             const held_send held, went_straight went) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  if (went.what == went_straight::nowhere) return lose_held(c, m, self, held);
  keep_placed<held_words>(c, m, held.dst, went.pos, held.words, words_of_held(held, self));
}

/// As emit(), of a message that was held; if there is no room it is lost.
/// @param self  reference of the sender. @param straight  on_chip::straight.
PERDURE_OUT_OF_LINE inline void place_or_lose(on_chip& chip, const memory& mem, u64 self,
                                              held_send held, bool straight) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const auto at = words_of_held(held, self);
  if (emit_words<held_words>(c, m, held.dst, held.words, at, straight)) return;
  lose_held(c, m, self, held);
}

}  // namespace perdure::loop
