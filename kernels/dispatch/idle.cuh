// kernels/dispatch/idle.cuh - the step "idle" of a thread block: one warp polls, the others wait at the barrier.
// Why: a block that polls with all its threads burns power and bandwidth that its neighbours need; and the warp reads
//      32 words at once, so that a lone message is on chip when it is found.
// Invariant: returns when something has landed, and at the latest when a whole turn is due.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/scouts.cuh"
#include "kernels/dispatch/worker.cuh"
#include "kernels/platform/block_device.cuh"

namespace perdure::loop {

/// Finds the messages that are wholly in what the warp has read, one word a lane, and lands them.
inline arrival land_words(on_chip& c, const memory& m, batch_source source, u32 lane, word w,
                          u32 ready) {
  const u32 run = __ffs(static_cast<int>(~ready)) - 1;  // past 32: all are ready
  const u32 words = abi::words_of(w);
  const u32 starts = __ballot_sync(
      ~0U, abi::is_first(w) && words != 0 && lane < run && lane + words <= (run < 32 ? run : 32));
  arrival out;
  if (starts == 0) return out;
  c[m.in][lane] = w;
  if ((starts >> lane & 1U) != 0) c[m.start][__popc(starts & ((1U << lane) - 1))] = lane;
  const u32 last = 31 - __clz(static_cast<int>(starts));
  out.source = source;
  out.taken = batch{static_cast<u32>(__popc(starts)), last + __shfl_sync(~0U, words, last)};
  out.crowded = ready == ~0U;
  __syncwarp();
  return out;
}

/// What a warp sees while it polls: words of the ring or of a host lane that begin with a ready one.
struct warp_poll {
  on_chip& c;
  const memory& m;
  u32 lane;   ///< of the warp
  u32 used;   ///< host lanes
  u32 which;  ///< without scouts: the next of them to look at
  u64 head;   ///< of the ring
  word_source ring;
  batch_source source{};  ///< of what has been seen
  word come{0, 0};
  u32 ready = 0;          ///< bit l: word l is there
  u64 pressure = 0;       ///< as the ring's last poll had it
  u32 left = 0;           ///< of what the scout has found: bits of scout_box::ready
  bool in_a_row = false;  ///< see scout_in_a_row
  u32 polls = 4;  ///< between two looks whether a turn is due; one while the host asks for the time

  bool see_ring() {
    come = load<order::relaxed, scope::device>(
        &ring.words[(head + lane) & ((u64{1} << m.ring_shift) - 1)]);
    pressure = load<order::relaxed, scope::device>(m.pressure);
    ready = __ballot_sync(~0U, ring.ready(come, head + lane));
    source.from = (ready & 1U) != 0 ? batch_source::ring : batch_source::nowhere;
    return (ready & 1U) != 0;
  }
  /// What the scout has found, one host lane after another.
  bool see_scout() {
    if (left == 0) {
      if (__all_sync(~0U, pressure == 0 && has_answered(c)) == 0) return false;
      left = c.scout.ready & ~scout_in_a_row;
      in_a_row = (c.scout.ready & scout_in_a_row) != 0;
    }
    const u32 first = __ffs(static_cast<int>(left & scout_firsts)) - 1;
    come = lane < scout_words ? c.scout.words[first + lane] : word{0, 0};
    ready = left >> first & scout_one_lane;
    source = {batch_source::lane, c.scout.which[first / scout_words]};
    left &= ~(scout_one_lane << first);
    if ((left & scout_firsts) == 0) left = 0;
    return true;
  }
  /// Of the host lane in hand as many words as the warp has lanes; waits for the bus.
  void see_lane() {
    const word_source from = own_lane(c, m, source.lane_number);
    const u64 at = c.lane_head[source.lane_number] + lane;
    come = load<order::relaxed, scope::system>(&from.words[at & ((u64{1} << from.shift) - 1)]);
    ready = __ballot_sync(~0U, abi::is_ready(come, at, from.shift));
  }
  /// How many words stand there one behind the other.
  u32 there() const { return ready == ~0U ? 32 : __ffs(static_cast<int>(~ready)) - 1; }
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
    if (see_ring()) return true;
    ready = __ballot_sync(~0U, lane < scout_words && used != 0 && pressure == 0 &&
                                   abi::is_ready(theirs, at, m.lane_shift));
    if ((ready & 1U) == 0) return false;
    come = theirs;
    source = {batch_source::lane, looked};
    return true;
  }
  /// Until something is there. @param due  () -> bool: a whole turn is; asked now and then.
  template <bool Scout, class Due>
  void until(Due due) {
    do {
      if constexpr (Scout) {
#pragma unroll 1
        for (u32 i = 0; i < polls; ++i) {
          if (agreed(see_scout() || see_ring())) return;
        }
      } else {
        if (agreed(see_both())) return;
      }
    } while (agreed(!due()));
  }
};

/// The warp's look at the command word, if that is all that is due. It waits for the bus, as nothing else is to be done.
/// @return whether no turn is needed.
template <class Clock>
bool look_at_command(on_chip& c, const memory& m, u32 lane, Clock& steady_ns) {
  const u64 now = steady_ns();
  u32 none = 0;
  if (lane == 0 && c.timer_due > now && now >= c.control_at) {
    command_look look;
    begin_look(c, m, now, look);
    if (note_look(c, look)) tell_time(c, m, steady_ns());
    none = c.commanded == 0 ? 1 : 0;
  }
  return __shfl_sync(~0U, none, 0) != 0;
}

/// Polls the ring and the host lanes, and handles what comes alone. The first warp's.
/// @tparam Scout  the second warp looks at the host lanes meanwhile: see scouts.cuh.
/// @return what has come, landed; `nowhere` if a whole turn is due.
template <bool Scout, class Handle, class Clock>
arrival poll_for_work(on_chip& c, const memory& m, u32 lane, Handle& handle, Clock& steady_ns) {
  arrival found;
  __syncwarp();  // what lane 0 wrote at the end of the turn
  const u32 used = c.lanes_used;
  warp_poll poll{c, m, lane, used, c.next_lane < used ? c.next_lane : 0, 0, own_ring(c, m)};
  // now and then a whole turn, so that a busy ring does not keep host lanes, commands, timers and links waiting
  constexpr u32 most_arrivals = 64;
  u32 arrivals = c.arrivals;
  bool due = !may_arrive(c) || c.timer_due <= c.now_ns;
  if (Scout && !due && lane == 0) ask_scout(c);
#if PERDURE_WIDE
  u32 asked = c.next_linked;
  static_assert(abi::noted_ports == 32);
#endif
  while (agreed(!due && arrivals < most_arrivals)) {
    poll.head = c.ring_head;
    u64 end = c.control_at < c.timer_due ? c.control_at : c.timer_due;
    __syncwarp();  // all have read before lane 0 writes
    poll.source.from = batch_source::nowhere;
    poll.until<Scout>([&] {
      bool stop = steady_ns() >= end;
#if PERDURE_WIDE
      const abi::linked_actor* linked = m.linked + static_cast<u64>(c.worker) * m.linked_most;
      for (u32 i = lane; i < c.linked; i += 32) stop |= came_for(c, linked[i]);
      const u32 noted = c.linked < abi::noted_actors ? c.linked : abi::noted_actors;
      if (noted != 0 && linked[asked % noted].kind == several) {  // one of them at a time
        const abi::awaited one = awaited_of(c, m, asked % noted)[lane];
        stop |= __all_sync(~0U, one.kind == 0 || has_come(c, one)) != 0;
      }
      ++asked;
#endif
      due = __any_sync(~0U, stop) != 0;
      if (!Scout || !due) return due;
      due = !look_at_command(c, m, lane, steady_ns);
      __syncwarp();
      poll.polls = c.attentive != 0 ? 1 : 4;
      end = c.control_at < c.timer_due ? c.control_at : c.timer_due;
      return due;
    });
    if (agreed(poll.source.from == batch_source::nowhere)) break;
    if (!Scout) ++arrivals;
    const bool from_host = poll.source.from == batch_source::lane;
    lane_find what = lane_find::alone;
#pragma unroll 1
    for (bool all = false;; all = true) {  // twice, if there is more of a message than was read
      found = land_words(c, m, poll.source, lane, poll.come, poll.ready);
      if (agreed(!Scout || !from_host || (!all && poll.ready != scout_one_lane))) break;
      what = what_fills_a_look(found.taken, poll.there(), poll.in_a_row);
      if (agreed(what != lane_find::longer || all)) break;
      poll.see_lane();
    }
    if (agreed(from_host)) {
      poll.which = poll.source.lane_number;
      if (Scout && lane == 0)
        store<order::relaxed, scope::block>(&c.next_lane,
                                            poll.which + 1);  // all lanes have their turn
      if (what != lane_find::alone ||
          (!Scout && (poll.ready == scout_one_lane || found.taken.messages == 0))) {
        found = arrival{};
        if (lane == 0) c.lane_ready = poll.which + 1;
        break;
      }
    }
    if (agreed(found.taken.messages == 0)) {  // it is on its way: soon its end is there, too
      if (Scout && from_host && poll.left == 0 && lane == 0) ask_scout(c);
      continue;
    }
    if (agreed(found.crowded || !are_few(c, m, found.taken))) break;
    if (lane == 0) {
      handle_few(c, m, found.taken, poll.source, steady_ns(), handle);
      if (Scout && from_host && poll.left == 0) ask_scout(c);
    }
    __syncwarp();
    found = arrival{};
    if (!Scout && from_host) poll.which = poll.which + 1 < used ? poll.which + 1 : 0;
    // the ring may have the next one already: what else is due must not wait until it is empty
    due = c.pending != 0 || c.timer_due <= c.now_ns;
    const bool look = c.control_at <= c.now_ns;
    __syncwarp();  // all have read before lane 0 writes
    if (!due && look) due = !Scout || !look_at_command(c, m, lane, steady_ns);
  }
  __syncwarp();
  const bool arrived = found.source.from != batch_source::nowhere;
  if (lane == 0) {
    if (Scout) rest_scout(c);
    if (!Scout) c.next_lane = poll.which + (found.source.from == batch_source::lane ? 1 : 0);
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
