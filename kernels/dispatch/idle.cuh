// kernels/dispatch/idle.cuh - the step "idle" of a thread block with wide actors: one warp polls, the others wait at the barrier.
// Why: a block that polls with all its threads burns power and bandwidth that its neighbours need; and the warp reads
//      32 words at once, so that a lone message is on chip when it is found. A firing takes the whole block, so no warp
//      can be spared for the host lanes as in beside.cuh.
// Invariant: returns when something has landed or a linked actor has all that it waits for, and at the latest when a whole
//            turn is due.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/kept_letters.cuh"
#include "kernels/dispatch/sight.cuh"

namespace perdure::loop {

/// What a warp sees while it polls: words of the ring or of a host lane that begin with a ready one.
struct warp_poll {
  on_chip& c;
  const memory& m;
  u32 lane;   ///< of the warp
  u32 used;   ///< host lanes
  u32 which;  ///< the next of them to look at
  u64 head;   ///< of the ring
  word_source ring;
  batch_source source{};  ///< of what has been seen
  sight seen{};

  /// Ring and one host lane, whose words come when the bus has brought them.
  bool see_both() {
    const u32 looked = which;
    const u64 at = c.lane_head[looked] + lane;
    word theirs{0, 0};
    if (used != 0) {
      const word_source from = own_lane(c, m, looked);
      if (lane < scout_words) {
        theirs =
            load<order::relaxed, scope::system>(&from.words[at & ((u64{1} << from.shift) - 1)]);
      }
    }
    which = looked + 1 < used ? looked + 1 : 0;
    seen.mine = load<order::relaxed, scope::device>(
        &ring.words[(head + lane) & ((u64{1} << m.ring_shift) - 1)]);
    const u64 pressure = load<order::relaxed, scope::device>(m.pressure);
    seen.ready = __ballot_sync(~0U, ring.ready(seen.mine, head + lane));
    source.from = (seen.ready & 1U) != 0 ? batch_source::ring : batch_source::nowhere;
    if ((seen.ready & 1U) != 0) return true;
    seen.ready = __ballot_sync(~0U, lane < scout_words && used != 0 && pressure == 0 &&
                                        abi::is_ready(theirs, at, m.lane_shift));
    if ((seen.ready & 1U) == 0) return false;
    seen.mine = theirs;
    source = {batch_source::lane, looked};
    return true;
  }
  /// Until something is there. @param due  () -> bool: a whole turn is; asked behind each look.
  template <class Due>
  void until(Due due) {
    do {
      if (agreed(see_both())) return;
    } while (agreed(!due()));
  }
};

/// Polls the ring and the host lanes, and handles what comes alone. The first warp's.
/// @return what has come, landed; `nowhere` if a whole turn is due, or if a linked actor may fire: on_chip::came.
template <class Handle, class Clock>
arrival poll_for_work(on_chip& c, const memory& m, u32 lane, Handle& handle, Clock& steady_ns) {
  arrival found;
  __syncwarp();  // what lane 0 wrote at the end of the turn
  const u32 used = c.lanes_used;
  warp_poll poll{c, m, lane, used, c.next_lane < used ? c.next_lane : 0, 0, own_ring(c, m)};
  // now and then a whole turn, so that a busy ring does not keep host lanes, commands, timers and links waiting
  constexpr u32 most_arrivals = 64;
  u32 arrivals = c.arrivals;
  bool due = !may_arrive(c) || c.timer_due <= c.now_ns;
  while (agreed(!due && arrivals < most_arrivals)) {
    poll.head = c.ring_head;
    const u64 end = c.control_at < c.timer_due ? c.control_at : c.timer_due;
    __syncwarp();  // all have read before lane 0 writes
    poll.source.from = batch_source::nowhere;
    // Of linked actors each lane asks for the first thing that its own ones wait for, and calls nobody: a call in here costs
    // the firings' code registers.
    [[maybe_unused]] bool may = false;
    [[maybe_unused]] u32 fires = 0;  // 1 + the place of one that has all
    poll.until([&] {
      due = __any_sync(~0U, steady_ns() >= end) != 0;
#if PERDURE_WIDE
      const abi::linked_actor* list = linked_list(c, m);
      for (u32 i = lane; i < c.linked; i += 32) {
        const first_come first = look_at_first(c, m, list, i);
        may |= first != first_come::not_yet;
        if (first == first_come::and_that_is_all)
          fires = i + 1;  // whichever: behind it they go by age
      }
      may = __any_sync(~0U, may) != 0;
      return due || may;
#else
      return due;
#endif
    });
    if (agreed(poll.source.from == batch_source::nowhere)) {
#if PERDURE_WIDE
      if (agreed(!due)) {
        u32 came = __reduce_max_sync(~0U, fires);
        if (agreed(came == 0)) {
          const u32 oldest = __reduce_min_sync(~0U, oldest_that_may(c, m, lane));
          if (agreed(oldest == ~0U)) continue;
          came = place_by_age(oldest) + 1;
        }
        if (lane == 0) c.came = came;
      }
#endif
      break;
    }
    ++arrivals;
    const bool from_host = poll.source.from == batch_source::lane;
    poll.seen.find(lane);
    if (agreed(from_host)) {
      poll.which = poll.source.lane_number;
      if (poll.seen.ready == (1U << scout_words) - 1 || poll.seen.taken.messages == 0) {
        if (lane == 0) c.lane_ready = poll.which + 1;
        break;
      }
    }
    if (agreed(poll.seen.taken.messages == 0)) continue;  // soon its end is there, too
    poll.seen.land(c, m, lane);
    __syncwarp();
    // who polls so is the block, or hands what has landed to it: there is no need for arrival::for_all
    bool for_turn = poll.seen.ready == ~0U || !are_few(c, m, poll.seen.taken);
    if constexpr (may_send_many<Handle> || may_bring<Handle>)
      for_turn = for_turn || (from_host ? has_for_all(poll.seen, c, m, lane, handle)
                                        : sends_many(handle, c[m.in][0]));
    if (agreed(for_turn)) {
      found.source = poll.source;
      found.taken = poll.seen.taken;
      found.crowded = poll.seen.ready == ~0U;
      break;
    }
    if (lane == 0)
      handle_few(c, m, poll.seen.taken, poll.source, time_of_visit(c, steady_ns()), handle);
    __syncwarp();
    if constexpr (long_letters_are_built) {
      if (__any_sync(~0U, c.pending != 0) != 0) write_kept(c, m, lane);
    }
    if (from_host) poll.which = poll.which + 1 < used ? poll.which + 1 : 0;
    // the ring may have the next one already: what else is due must not wait until it is empty
    due = c.pending != 0 || c.timer_due <= c.now_ns || c.control_at <= c.now_ns;
    __syncwarp();  // all have read before lane 0 writes
  }
  __syncwarp();
  if (lane == 0) {
    const bool arrived = found.source.from != batch_source::nowhere || c.came != 0;
    c.next_lane = poll.which + (found.source.from == batch_source::lane ? 1 : 0);
    c.arrivals = arrived && arrivals < most_arrivals ? arrivals + 1 : 0;
  }
  return found;
}

/// What the first warp has found, to the whole block.
template <class Block>
arrival tell_all(Block& b, const arrival& found) {
  const u32 all = b.broadcast([&] {
    return static_cast<u32>(found.source.from) | found.source.lane_number << 2U |
           found.taken.messages << 8U | found.taken.words << 16U | (found.crowded ? 1U << 24U : 0);
  });
  arrival out;
  out.source = {static_cast<batch_source::place>(all & 3U), all >> 2U & 63U};
  out.taken = batch{all >> 8U & 255U, all >> 16U & 255U};
  out.crowded = (all >> 24U & 1U) != 0;
  return out;
}

}  // namespace perdure::loop
