// kernels/dispatch/baton.cuh - which of the warps that poll may take and handle messages.
// Why: a message is handled soonest by the warp that has seen it; and of several that look at the host's memory in turn one
//      sees it sooner than one alone could.
// Invariant: what a worker owns is touched only by the warp that has the baton. The first warp has it but while it polls; a
//            scout gives up waiting for it when it is told to rest or to leave, so the first warp may keep it through a
//            block's barrier. What a scout has handed over is the first warp's, and so is the baton then. What a scout has
//            seen counts only if its host lane has not moved on since, which it finds out with the baton in hand.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/take.cuh"

namespace perdure::loop {

/// What on_chip::baton is: nobody's in a poll, whose number it is then; held; or the first warp's to take, for a turn is due
/// or something is handed over.
inline constexpr u32 baton_held = 0, baton_first_only = ~0U;

/// Lanes that poll side by side: one of them claims, all of them know what came of it, and none of them parts from the others,
/// which would have to wait for each other at every vote that follows. Here it is one lane alone.
struct lane_alone {
  static constexpr bool leads = true;
  static bool any(bool holds) { return holds; }
  static u32 of_first(u32 value) { return value; }
};

/// One lane of a warp; those beside it see what the last holder wrote behind a barrier of the warp.
/// @memory  release, block: the next holder sees all that was done with it.
inline void give_baton(on_chip& c) {
  // who has found that a turn is due, or has handed something over, keeps the scouts from going on
  const u32 next = (c.pending | c.commanded | c.handed) != 0 ? baton_first_only : c.poll;
  store<order::release, scope::block>(&c.baton, next);
}
/// As wait_for_baton(), which has claimed once. @param before  what the baton was.
template <class Lanes>
PERDURE_OUT_OF_LINE bool wait_longer_for_baton(on_chip& chip, const Lanes w, u32 before) {
  on_chip& c = here(chip);
  // beside lane 0 it may be an older poll's: never baton_first_only, and no claim is made with it
  u32 expected = c.poll;
  for (;;) {
    before = w.of_first(before);
    if (before != baton_held) expected = before;
    before = claim_if(w.leads, &c.baton, expected, baton_held);
    if (w.any(w.leads && before == expected)) return !w.any(expected == baton_first_only);
  }
}
/// The first warp's. @return whether it may handle something; else a turn is due.
/// @param w  as lane_alone: the lanes that call this.
/// @memory  acquire, block, as every claim here: pairs with the release in give_baton().
template <class Lanes>
bool wait_for_baton(on_chip& c, const Lanes& w) {
  const u32 poll = c.poll;
  const u32 before = claim_if(w.leads, &c.baton, poll, baton_held);
  // as a rule it is free, and a loop takes a GPU longer to come to than this
  if (w.any(w.leads && before == poll)) return true;
  return wait_longer_for_baton(c, w, before);
}

/// What the scouts are to do: 0 rest, scout_leave go to the block's barrier, else look, in the poll of this number.
inline u32 read_ask(const on_chip& c) { return load<order::acquire, scope::block>(&c.scout_ask); }
/// The first warp, with the baton, which it gives: a poll begins.
inline void send_scouts(on_chip& c) {
  store<order::relaxed, scope::block>(&c.turn_wanted, 0U);
  store<order::relaxed, scope::block>(&c.told_tail, c.host_tail);
  c.poll = c.poll % (scout_leave - 1) + 1;  // never 0, and never the word to leave
  store<order::release, scope::block>(&c.scout_ask, c.poll);
  give_baton(c);
}
inline void rest_scouts(on_chip& c) { store<order::release, scope::block>(&c.scout_ask, 0U); }
inline void call_scouts(on_chip& c) {
  store<order::release, scope::block>(&c.scout_ask, scout_leave);
}
/// At the start: the first warp has the baton, and the scouts rest.
inline void begin_scouts(on_chip& c) {
  c.scout_ask = c.poll = c.turn_wanted = c.handed = 0;
  c.told_tail = 0;
  c.baton = baton_held;
}

/// As take_baton_for(), which has claimed once. @param before  what the baton was.
template <class Lanes>
PERDURE_OUT_OF_LINE bool take_baton_later(on_chip& chip, const Lanes w, u32 poll, u32 host_lane,
                                          u64 at, u32 before) {
  on_chip& c = here(chip);
  for (;;) {
    if (w.any(w.leads && before == poll)) {
      // relaxed: read with the baton, which the claim has acquired
      const u64 head = load<order::relaxed, scope::block>(&c.lane_head[host_lane]);
      if (w.any(w.leads && head == at)) return true;
      if (w.leads) give_baton(c);
      return false;
    }
    if (w.any(w.leads && (before != baton_held || read_ask(c) != poll))) return false;
    before = claim_if(w.leads, &c.baton, poll, baton_held);
  }
}
/// A scout's, in poll `poll`, for a message that it has seen. @param host_lane,at  where: the first lane's.
/// @return false if another one has taken it, or the poll is over.
template <class Lanes>
bool take_baton_for(on_chip& c, const Lanes& w, u32 poll, u32 host_lane, u64 at) {
  const u32 before = claim_if(w.leads, &c.baton, poll, baton_held);
  // read without waiting for the answer, and behind the claim all the same, which acquires
  const u64 head = load<order::relaxed, scope::block>(&c.lane_head[host_lane]);
  if (w.any(w.leads && before == poll && head == at)) return true;  // as wait_for_baton()
  return take_baton_later(c, w, poll, host_lane, at, before);
}
/// A scout asks the first warp to end its poll. @memory  relaxed: the first warp takes the baton before it does anything.
inline void want_turn(on_chip& c) { store<order::relaxed, scope::block>(&c.turn_wanted, 1U); }
inline bool turn_is_wanted(const on_chip& c) {
  return load<order::relaxed, scope::block>(&c.turn_wanted) != 0;
}
/// With the baton: a host lane is for a whole turn, which begins with it.
inline void leave_to_turn(on_chip& c, u32 host_lane) {
  c.lane_ready = host_lane + 1;
  want_turn(c);
}

/// With the baton: some messages of a host lane have landed where a batch begins, and are the first warp's to handle. The baton
/// that is given then is its alone, so that they lie there until it comes.
inline void hand_over(on_chip& c, u32 host_lane, batch landed) {
  c.handed = (host_lane + 1) | landed.messages << 8U | landed.words << 16U;
  want_turn(c);
}
static_assert(max_host_lanes < 255);

/// What a look at a host lane is to be followed by. A few messages are handled where they have landed, several are handed to
/// the first warp, and of many a turn reads more at once than a look. A look that is filled is read on, at the price of another
/// trip over the bus; but where clients ask in a row, more of them have asked meanwhile, and a turn takes what all have.
enum class lane_find : u32 { alone, longer, several, many };
/// @param found  what is whole of the words in hand.  @param there  words in hand, from the first one on.
/// @param filled  all words of the look were there; else nothing stands behind them yet.
/// @param in_a_row  the look came right behind a message that was answered, so who writes there writes one after another;
///                  whoever waits for a reply cannot have it yet.
constexpr lane_find what_fills_a_look(batch found, u32 there, bool filled, bool in_a_row) {
  if (!filled) return lane_find::alone;
  if (in_a_row) return lane_find::many;
  return found.messages == 1 && found.words == there ? lane_find::alone : lane_find::longer;
}
/// Of a look that was read on. @param most  words of it: if all were there, more may stand behind them.
/// Two messages one after another take as long as a turn does with several.
constexpr lane_find what_was_behind_it(batch found, u32 there, u32 most) {
  if (there == most) return lane_find::many;
  return found.messages <= 2 ? lane_find::alone : lane_find::several;
}

/// From a message's end to the next look, in cycles. Who asks in a row writes the next message when he has the answer, and a
/// look that comes before it costs a trip over the bus, some 2,600 of them; how long he takes is the host's. So a look that
/// brings the message shortens the wait by a 256th, and one that just missed it lengthens it: one in some twenty misses.
inline constexpr u32 first_wait = 700, longer_wait = 64, longest_wait = 1200;
/// @param waits  how long the last one was. @param in_vain  looks since then before the one that brought something.
constexpr u32 wait_after(u32 waits, u32 in_vain) {
  if (in_vain == 0) return waits - (waits + 255) / 256;
  if (in_vain > 1) return waits;  // nobody asks in a row
  return waits + longer_wait < longest_wait ? waits + longer_wait : longest_wait;
}

}  // namespace perdure::loop
