// kernels/dispatch/scouts.cuh - a warp that looks at the host lanes while the first one polls the ring.
// Why: a load over the bus takes five times as long as one from the ring, and the loads of one warp come back in order;
//      so who polls the ring must not look at the host. One looks: a second load of the same 32 bytes of host memory waits
//      until the first one is back, so a second scout keeps the first one's looks waiting (docs/adr/051).
// Invariant: a scout has the baton while it takes and handles a message, and at no other time: see baton.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/baton.cuh"
#include "kernels/dispatch/few.cuh"
#include "kernels/dispatch/sight.cuh"

namespace perdure::loop {

#if defined(__CUDACC_RTC__) || defined(PERDURE_WARPS_OF_THREADS)

/// Warp 1 of the block, if it has one.
inline constexpr u32 scouts =
    PERDURE_LANES / 32 - 1 < most_scouts ? PERDURE_LANES / 32 - 1 : most_scouts;

/// Bits of words: those of the first words of a look's host lanes, and of all words of the first lane.
inline constexpr u32 scout_firsts =
    1U | 1U << scout_words | 1U << 2 * scout_words | 1U << 3 * scout_words | 1U << 4 * scout_words;
inline constexpr u32 scout_one_lane = (1U << scout_words) - 1;
static_assert(scout_lanes == 5 && scout_lanes * scout_words <= 31);

/// A worker that has found nothing for so many looks looks less often: all of them share the bus, and a line that is read
/// has to be fetched again by the host thread that writes it.
inline constexpr u32 looks_until_slow = 32;
inline constexpr u32 cycles_between_slow_looks = 3000;

/// What each lane of a scout's warp knows of its looks.
struct scout_looks {
  on_chip& c;
  const memory& m;
  u32 lane;                ///< of the warp
  u32 poll = 0;            ///< of the first warp: the one in force
  u32 base = 0;            ///< the first host lane of the next look
  u32 groups = 1;          ///< host lanes of a look
  u32 which = 0;           ///< this lane's host lane
  u64 at = 0;              ///< position in it
  word brought{0, 0};      ///< what stood there
  u32 there = 0;           ///< bit l: lane l's word was there
  u32 left = 0;            ///< of scout_firsts: what has not been told yet
  u32 in_vain = 0;         ///< looks since the last that was not
  u32 done_at = 0;         ///< the last message's end
  bool answered = true;    ///< something has gone to the host since: who waited may ask again
  u32 waits = first_wait;  ///< so long behind it
  bool in_a_row = false;   ///< see what_fills_a_look()
  u64 host_tail = 0;       ///< lane 0's: words that had gone there by then

  /// Waits until some host lane has a message.
  /// @param found  its words, one a lane. @param host_lane,from  lane 0's: where they stand.
  /// @param when  the look began. @return false if the scout is to leave.
  template <class Clock>
  bool wait(sight& found, u32& host_lane, u64& from, visit_time& when, Clock& steady_ns) {
    // of a look that has found several the later ones are handled behind the first ones
    if (left != 0) when = time_of_visit(c, steady_ns());
    while (left == 0) {
      // what lane 0 has read decides for all, and what it has acquired is all lanes'
      const u32 asked = __shfl_sync(~0U, read_ask(c), 0);
      const u32 used = __shfl_sync(~0U, load<order::relaxed, scope::block>(&c.lanes_used), 0);
      __syncwarp();
      if (asked == scout_leave) return false;
      if (asked == 0 || used == 0) continue;
      if (asked != poll) {  // the worker did something else; whose turn it is now, it has noted
        poll = asked;
        in_vain = 0;
        base = __shfl_sync(~0U, load<order::relaxed, scope::block>(&c.next_lane), 0);
        note_sent(load<order::relaxed, scope::block>(&c.told_tail));
      }
      if (in_vain >= looks_until_slow && !pass(now(), cycles_between_slow_looks)) continue;
      if (in_vain == 0 && answered && !pass(done_at, waits)) continue;
      // relaxed: a hint how full the workers' spills are. Before the look, since a warp's loads come back in order.
      const u64 pressure = load<order::relaxed, scope::device>(m.pressure);
      look(used);
      // There is time for all that does not need the words while the bus brings them; and then a vote, as a compiler puts
      // behind the wait for them what has no vote between.
      when = time_of_visit(c, steady_ns());
      when.stamp = by_now(when.stamp);
      const bool asks_again = answered && in_vain <= (used - 1) / scout_lanes;
      const u32 next_wait =
          answered ? wait_after(waits, in_vain) : waits;  // else nobody was waited for
      const bool pressed = __any_sync(~0U, pressure != 0) != 0;
      there = __ballot_sync(
          ~0U, lane / scout_words < groups && !pressed && abi::is_ready(brought, at, m.lane_shift));
      left = there & scout_firsts;
      in_a_row = asks_again;
      if (left == 0) {
        base += groups;
        ++in_vain;
      } else {
        waits = next_wait;
      }
    }
    u32 first = 0;
    found.mine = brought;
    host_lane = which;
    from = at;
    if ((left & 1U) == 0) {
      first = __ffs(static_cast<int>(left)) - 1;
      host_lane = __shfl_sync(~0U, which, first);
      from = __shfl_sync(~0U, at, first);
      found.mine.lo = __shfl_sync(~0U, brought.lo, first + lane);
      found.mine.hi = __shfl_sync(~0U, brought.hi, first + lane);
    }
    left &= left - 1;
    found.ready = there >> first & scout_one_lane;
    return true;
  }
  /// What was found has been taken, handed over or left to a turn, and the next look is to begin behind its host lane: at once
  /// if nothing went to the host, as nobody asks again then.
  /// @param to_host  words that have gone there: lane 0's; the others follow it.
  void done(u64 to_host) {
    in_vain = 0;
    done_at = now();
    note_sent(to_host);
    if (left == 0) base = load<order::relaxed, scope::block>(&c.next_lane);
  }
  /// Of the host lane in hand as many words as the warp has lanes; waits for the bus.
  void see_all(sight& found, u32 host_lane, u64 from) const {
    const u64 mine = __shfl_sync(~0U, from, 0) + lane;
    found.mine = load<order::relaxed, scope::system>(word_at(__shfl_sync(~0U, host_lane, 0), mine));
    found.ready = __ballot_sync(~0U, abi::is_ready(found.mine, mine, m.lane_shift));
  }

 private:
  const word* word_at(u32 host_lane, u64 pos) const {
    const u64 ring = static_cast<u64>(host_lane) * m.workers + c.worker;
    return m.lane_words + abi::ring_start(ring, m.lane_shift) +
           (pos & ((u64{1} << m.lane_shift) - 1));
  }
  void look(u32 used) {
    groups = used < scout_lanes ? used : scout_lanes;
    base = __shfl_sync(~0U, base, 0);  // lanes may have read it one after another: see done()
    base = base < used ? base : 0;
    const bool mine = lane / scout_words < groups;
    const u32 own = base + (mine ? lane / scout_words : 0);
    which = own < used ? own : own - used;
    // one of those that look at a host lane reads how far it is, for all of them: it may move meanwhile
    const u32 part = mine ? lane % scout_words : 0;
    at = __shfl_sync(~0U, load<order::relaxed, scope::block>(&c.lane_head[which]), lane - part) +
         part;
    brought = load<order::relaxed, scope::system>(word_at(which, at));
  }
  /// @param to_host  words that have gone there: lane 0's; the others follow it.
  void note_sent(u64 to_host) {
    answered = __any_sync(~0U, lane == 0 && to_host != host_tail) != 0;
    host_tail = to_host;
  }
  static u32 now() { return static_cast<u32>(clock64()); }
  /// Waits until so many cycles are over, without the bus. @return false if the poll is.
  bool pass(u32 from, u32 cycles) const {
    PERDURE_ROLLED
    while (__all_sync(~0U, now() - from < cycles) != 0) {
      if (__any_sync(~0U, read_ask(c) != poll) != 0) return false;
    }
    return true;
  }
};

#endif

}  // namespace perdure::loop
