// kernels/dispatch/beside.cuh - the step "idle" of small actors' thread blocks: warps poll side by side, who finds a message
//                               handles it, the others wait at the barrier.
// Why: the first warp polls the ring and never waits for the bus, scouts look at the host lanes; a message that came alone
//      is handled where it was seen, since any other way takes longer than the handler.
// Invariant: who takes and handles has the baton (baton.cuh); the first warp comes back with it, and at the latest when a
//            whole turn is due. Scouts come back when they are called to the block's barrier. While something is handed over,
//            `in` and `start` belong to it, and nobody but the first warp gets the baton.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/kept_letters.cuh"
#include "kernels/dispatch/scouts.cuh"

namespace perdure::loop {

#if defined(__CUDACC_RTC__) || defined(PERDURE_WARPS_OF_THREADS)

/// What all lanes of the warp know alike, put to a vote: so the compiler knows, too, and keeps none of its few registers for
/// where they would meet again, which the handlers' callees have use for (docs/adr/026). Of what lane 0 alone knows, the others'
/// is no.
inline bool voted(bool holds) { return __any_sync(~0U, holds) != 0; }
/// All lanes of a warp: as lane_alone.
struct lanes_of_warp {
  bool leads;  ///< it is lane 0
  static bool any(bool holds) { return voted(holds); }
  static u32 of_first(u32 value) { return __shfl_sync(~0U, value, 0); }
};

/// The first warp's poll of the ring.
struct ring_poll {
  on_chip& c;
  const memory& m;
  u32 lane;  ///< of the warp
  word_source ring;
  u32 left = 0;  ///< polls until the next look whether a turn is due

  /// The look at the command word. It waits for the bus, while scouts go on; what it brings and leaves is the first warp's, and
  /// the baton is held no longer than it takes to read what was done: a message that has come meanwhile waits for it.
  /// @return whether no turn is needed.
  template <class Clock>
  bool look_at_command(Clock& steady_ns) const {
    const command_look look = see_page(c, m);
    // a vote on what was read: so it is there before others have to wait
    if (voted(abi::epoch_of(look.seen.lo) != c.epoch)) return false;  // the turn looks once more
    bool may = false;  // lane 0's, as every vote is by who says yes
    if (lane == 0) {
      may = wait_for_baton(c, lane_alone{});
      const work_so_far work = look_at_work(c);
      give_baton(c);
      leave_sign(c, m, steady_ns(), work);
      if (note_times(c, look)) tell_time(c, m, steady_ns());
    }
    __syncwarp();
    return voted(may);
  }
  /// Now and then: whether a whole turn is due.
  template <class Clock>
  bool is_due(Clock& steady_ns) {
    const u64 timer = load<order::relaxed, scope::block>(&c.timer_due);
    const u64 now = steady_ns();
    bool due = __any_sync(~0U, turn_is_wanted(c) || now >= timer) != 0;
    if (!due && __any_sync(~0U, now >= c.control_at) != 0) due = !look_at_command(steady_ns);
    __syncwarp();
    left = c.attentive != 0 ? 1 : 4;
    return due;
  }
  /// Waits until something is there, or a turn is due: then it is false.
  /// @param when  the last look began.
  template <class Clock>
  bool wait(sight& found, visit_time& when, Clock& steady_ns) {
    if (voted(left == 0) && voted(is_due(steady_ns))) return false;
    for (;;) {
      const u64 at = c.ring_head + lane;
      found.mine =
          load<order::relaxed, scope::device>(&ring.words[at & ((u64{1} << m.ring_shift) - 1)]);
      // while the words are on their way; the vote, since a compiler puts behind the wait for them what has none between
      when = time_of_visit(c, steady_ns());
      when.stamp = by_now(when.stamp);
      --left;
      const u32 ends = (turn_is_wanted(c) ? 1U : 0U) | (left == 0 ? 1U : 0U);
      const bool pause = voted(ends != 0);
      const bool there = ring.ready(found.mine, at);
      found.ready = __ballot_sync(~0U, there);
      const u32 not_first = there ? lane : 1U;
      if (voted(not_first == 0)) return true;
      if (!pause) continue;
      if (voted(turn_is_wanted(c))) return false;
      if (voted(left == 0) && voted(is_due(steady_ns))) return false;
    }
  }
};

/// Polls, and handles what comes alone. The first warp's, and scouts'; the first has the baton before and behind it.
/// @param warp  of the block. @param lane  of the warp.
/// @return of the first warp what has come, landed; `nowhere` if a whole turn is due.
template <class Handle, class Clock>
arrival poll_side_by_side(on_chip& c, const memory& m, u32 warp, u32 lane, Handle& handle,
                          Clock& steady_ns) {
  // now and then a whole turn, so that a busy ring does not keep host lanes and links waiting
  constexpr u32 most_arrivals = 64;
  const bool first = voted(warp == 0);
  arrival found;
  ring_poll own{c, m, lane, own_ring(c, m)};
  scout_looks looks{c, m, lane};
  if (first) {
    __syncwarp();  // what lane 0 wrote at the end of the turn
    const bool due = !may_arrive(c) || c.timer_due <= c.now_ns || c.arrivals >= most_arrivals;
    __syncwarp();  // all have read before lane 0 writes
    if (voted(due)) {
      if (lane == 0) c.arrivals = 0;
      return found;
    }
    if (lane == 0) send_scouts(c);
  }
  const lanes_of_warp all{lane == 0};
  const u32 aside = m.in_words + warp * lone_words;  // where what comes quite alone lands
  bool has_baton = false;                            // the first warp
  // Takes the baton for what has been seen; if it may not, a turn is due, or a scout is to look again.
  const auto take = [&](u32 host_lane, u64 from) {
    has_baton = first;
    if (first) return wait_for_baton(c, all);
    if (take_baton_for(c, all, looks.poll, host_lane, from)) return true;
    looks.left = 0;
    return false;
  };
  for (;;) {
    sight seen;
    u32 host_lane = 0;  // lane 0's, as `from`
    u64 from = 0;
    visit_time when{0, 0};
    bool many = false;  // what a scout has seen first is for a turn of all lanes
    if (first) {
      if (!own.wait(seen, when, steady_ns)) break;
      if constexpr (may_send_many<Handle>) {
        const u32 all = (1U << abi::words_of(seen.mine)) - 1;  // lane 0's: it is there, all of it
        found.for_all = voted(lane == 0 && (seen.ready & all) == all &&
                              handle.sends_many(abi::handler_of(seen.mine)));
        if (found.for_all) break;
      }
    } else {
      if (!looks.wait(seen, host_lane, from, when, steady_ns)) break;
      if constexpr (may_send_many<Handle> || may_bring<Handle>)
        many = voted(lane == 0 && is_for_all(c, m, handle, seen.mine));
    }
    const bool filled = !first && seen.ready == scout_one_lane;  // more may stand behind
    // a message, all of it, and nothing behind it: lane 0 sees that by itself, and it lands where only this warp writes
    bool few = true;
    lane_find what = lane_find::alone;
    u32 at = aside;
    const u32 not_alone =
        (seen.is_alone() && !many ? 0U : 1U) | (filled && looks.in_a_row ? 1U : 0U);
    if (voted((lane | not_alone) == 0)) {
      seen.taken = {1, abi::words_of(seen.mine)};  // lane 0's
      c[m.in][aside + lane] = seen.mine;
      __syncwarp();
      if (!take(host_lane, from)) {
        if (first) break;
        continue;
      }
    } else {
      at = 0;
      seen.find(lane);
      if constexpr (may_bring<Handle>)
        many = voted(many || (!first && has_for_all(seen, c, m, lane, handle)));
      if (!first) {
        what = what_fills_a_look(seen.taken, seen.there(), filled, looks.in_a_row);
        if (voted(what == lane_find::longer && !many)) {
          looks.see_all(seen, host_lane, from);
          seen.find(lane);
          if constexpr (may_bring<Handle>) many = has_for_all(seen, c, m, lane, handle);
          what = what_was_behind_it(seen.taken, seen.there(), 32);
        }
      }
      // on its way: soon its end is there, too
      if (voted(what == lane_find::alone && seen.taken.messages == 0)) continue;
      if (!take(host_lane, from)) {
        if (first) break;
        continue;
      }
      __syncwarp();  // what the last holder did is seen by all
      const bool crowded = seen.ready == ~0U;
      few = what == lane_find::alone && !many && are_few(c, m, seen.taken) && !(first && crowded);
      if (few || first || (what == lane_find::several && !many)) seen.land(c, m, lane);
      __syncwarp();
      if (voted(first && !few)) {
        found.source.from = batch_source::ring;
        found.taken = seen.taken;
        found.crowded = crowded;
        break;
      }
    }
    const batch_source source{first ? batch_source::ring : batch_source::lane, host_lane};
    const bool handles = lane == 0 && few;
    few_run run{};  // lane 0's; the others' has none
    if (handles) run = begin_few(c, m, seen.taken, source, when, at);
    // the lanes meet behind each message: those that wait for one in a loop are let go (docs/adr/049)
    PERDURE_ROLLED
    do {
      if (handles) handle_next(c, m, run, handle);
    } while (voted(run.has_next()));
    bool more = false;  // lane 0's, as `to_host`
    u64 to_host = 0;
    if constexpr (long_letters_are_built) {
      if (few) end_few_by_warp(c, m, lane, seen.taken, source, run);
    }
    if (lane == 0) {
      more = true;
      if (few) {
        if constexpr (!long_letters_are_built) end_few(c, m, seen.taken, source, run);
        more = c.pending == 0;
      } else if (what == lane_find::several && !many) {
        hand_over(c, host_lane, seen.taken);
      } else {
        leave_to_turn(c, host_lane);
      }
      if (!first)
        store<order::relaxed, scope::block>(&c.next_lane, host_lane + 1);  // all have their turn
      if (!more) want_turn(c);
      if (!first) to_host = c.host_tail;
      if (!first || more) give_baton(c);
    }
    __syncwarp();
    if (!first) {
      looks.done(to_host);
      continue;
    }
    if (!voted(more)) break;
    has_baton = false;
  }
  if (!first) return found;
  u32 handed = 0;
  if (lane == 0) {
    rest_scouts(c);
    if (!has_baton) wait_for_baton(c, lane_alone{});
    handed = c.handed;
    c.handed = 0;
    const bool arrived = handed != 0 || found.source.from != batch_source::nowhere;
    c.arrivals = arrived ? c.arrivals + 1 : 0;
  }
  handed = __shfl_sync(~0U, handed, 0);
  __syncwarp();
  if (voted(handed == 0)) return found;
  found.source = {batch_source::lane, (handed & 0xffU) - 1};
  found.taken = {handed >> 8U & 0xffU, handed >> 16U};
  return found;
}

#endif

}  // namespace perdure::loop
