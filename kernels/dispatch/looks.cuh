// kernels/dispatch/looks.cuh - looking for commands and at what host threads have sent; a turn does not wait for the bus.
// Why: reading the host's memory takes longer than handling a batch, so a look is begun before and compared after.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/take.cuh"

namespace perdure::loop {

/// What a look brings: the command word and the number of host lanes in use, the first 16 bytes of the page; then the
/// offset of the clock, and the host's question for the time.
struct command_look {
  word seen{0, 0};
  word clock{0, 0};
  bool under_way = false;
};

/// Lane 0: tells the host its clock, and the question that it had seen before it read it.
/// @param now  read behind note_look(), if that has brought a new question.
/// @memory  relaxed, system: one word of 16 bytes, so the host that sees the question's number finds that time or a later one.
inline void tell_time(const on_chip& c, const memory& m, u64 now) {
  store<order::relaxed, scope::system>(reinterpret_cast<word*>(&m.control[c.worker].answered),
                                       word{c.question, now});
}

/// What stands in the page now. Nothing waits for the bus before it is looked at.
inline command_look see_page(const on_chip& c, const memory& m) {
  const abi::control_page& page = m.control[c.worker];
  // relaxed: a hint only; obey() reads again with acquire
  return {load<order::relaxed, scope::system>(reinterpret_cast<const word*>(&page)),
          load<order::relaxed, scope::system>(reinterpret_cast<const word*>(&page.clock_offset_ns)),
          true};
}
/// The next time behind `now` at which this worker looks at its page: in each period it has one of its own. What all workers
/// leave in the host's memory at once keeps a reply behind it waiting for up to five microseconds (docs/adr/057).
inline u64 next_sign(const on_chip& c, const memory& m, u64 now) {
  const u64 own = c.worker * m.worker_magic >> 1U >> (63U - m.control_shift);  // part of a period
  const u64 periods = ((now - own) >> m.control_shift) + 1;
  return (periods << m.control_shift) + own;
}
/// What a sign of life tells, as far as others than the first warp may change it: read with the baton.
struct work_so_far {
  u64 done;
  bool pending;
};
inline work_so_far look_at_work(const on_chip& c) {
  return {c.count[static_cast<u32>(abi::counter::batches)] +
              c.count[static_cast<u32>(abi::counter::fired)],
          c.pending != 0};
}
/// A look that brings nothing new is told the host once in so many: what 132 workers write there ten thousand times a second
/// keeps replies waiting (docs/adr/057). One that comes late by some periods is told at once: the host takes who leaves no sign
/// in half a second, in the same call, for stuck.
inline constexpr u64 looks_a_sign = 16;
inline constexpr u32 late_shift = 3;  ///< 2^late_shift periods
/// Lane 0: leaves a sign of life, for a look that was begun at `now` or before.
/// @param fires  a linked actor does, which is counted later.
inline void leave_sign(on_chip& c, const memory& m, u64 now, const work_so_far& work,
                       bool fires = false) {
  abi::control_page& page = m.control[c.worker];
  const bool rests = !fires && work.done == c.work_seen && !work.pending;
  c.work_seen = work.done;
  if (has_wide(m)) {  // these look seldom, and all at the same firing: see pace_looks()
    store<order::relaxed, scope::system>(&page.heartbeat, ++c.heartbeat);
    store<order::relaxed, scope::system>(&page.resting, u64{rests ? 1U : 0U});
    c.control_at = now + (u64{1} << m.control_shift);
    return tell_time(c, m, now);
  }
  const bool late = (now - c.control_at) >> (m.control_shift + late_shift) != 0;
  c.control_at = next_sign(c, m, now);
  const u32 resting = rests ? 1 : 0;
  if (++c.heartbeat % looks_a_sign == 0 || resting != c.rest_told || late) {
    store<order::relaxed, scope::system>(&page.heartbeat, c.heartbeat);
    store<order::relaxed, scope::system>(&page.resting, u64{resting});
    c.rest_told = resting;
  }
  if (c.attentive != 0) tell_time(c, m, now);
}
/// Lane 0: begins a look and leaves a sign of life. Nothing waits for the bus here: what was seen is compared at the end
/// of the turn (note_look) and followed in the next one (obey).
inline void begin_look(on_chip& c, const memory& m, u64 now, command_look& look,
                       bool fires = false) {
  look = see_page(c, m);
  leave_sign(c, m, now, look_at_work(c), fires);
}
/// Questions come in rows, and an answer is as good as it is quick: so many looks follow at once.
inline constexpr u32 attentive_looks = 4;
/// What a look has brought of the time. @return whether that is a new question: tell_time() at once, as the host takes the
///         time until the answer for what it does not know.
inline bool note_clock(on_chip& c, const command_look& look) {
  store<order::relaxed, scope::block>(&c.clock_offset_ns, static_cast<long long>(look.clock.lo));
  const bool asked = c.question != look.clock.hi;
  if (asked) {
    c.question = look.clock.hi;
    c.attentive = attentive_looks;
  }
  if (c.attentive != 0) {
    --c.attentive;
    c.control_at = 0;
  }
  return asked;
}
/// All but commands, which is the first warp's, or atomic. @return as note_clock()
inline bool note_times(on_chip& c, const command_look& look) {
  const bool asked = note_clock(c, look);
  store<order::relaxed, scope::block>(&c.lanes_used, static_cast<u32>(look.seen.hi));
  return asked;
}
/// All of it. @return as note_clock()
inline bool note_look(on_chip& c, const command_look& look) {
  if (!look.under_way) return false;
  const bool asked = note_clock(c, look);
  c.commanded = abi::epoch_of(look.seen.lo) != c.epoch ? 1 : 0;
  store<order::relaxed, scope::block>(&c.lanes_used, static_cast<u32>(look.seen.hi));
  return asked;
}

/// A turn that takes longer than this is long for who asks for the time: two trips over the bus take less.
inline constexpr u64 long_turn_ns = 4'000;
/// Lane 0, behind a long turn that has brought a question and answered it: the host's next ones come a trip over the bus
/// after each answer, and another turn between would be in all of their bounds. So it stays for them, until some looks have
/// brought none, which is some 10 us every 50 ms.
/// @param steady_ns  a copy: a clock that a function has the address of is in memory for all the loop, which costs routing 4 %.
template <class Clock>
PERDURE_OUT_OF_LINE void answer_row(on_chip& chip, const memory& mem, Clock steady_ns) {
  constexpr u32 most_looks = 48;
  constexpr u32 most_vain =
      4;  // in a row; the host lets up to 1.4 us pass between answer and question
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const abi::control_page& page = m.control[c.worker];
  u32 vain = 0;
  PERDURE_ROLLED
  for (u32 i = 0; i < most_looks && vain < most_vain; ++i) {
    const word clock =
        load<order::relaxed, scope::system>(reinterpret_cast<const word*>(&page.clock_offset_ns));
    ++vain;
    if (clock.hi == c.question) continue;
    vain = 0;
    store<order::relaxed, scope::block>(&c.clock_offset_ns, static_cast<long long>(clock.lo));
    c.question = clock.hi;
    tell_time(c, m, steady_ns());
  }
}

/// A look at a host lane that is begun at the start of a turn and compared at its end, so that nobody waits for the
/// bus. Lane 0's.
struct lane_look {
  word seen{0, 0};
  u64 pressure = 0;
  u32 lane = 0;
  bool under_way = false;
};
inline void begin_look(on_chip& c, const memory& m, lane_look& look) {
  look.lane = c.next_lane < c.lanes_used ? c.next_lane : 0;
  const word_source source = own_lane(c, m, look.lane);
  const u64 mask = (u64{1} << source.shift) - 1;
  look.seen = load<order::relaxed, scope::system>(&source.words[c.lane_head[look.lane] & mask]);
  look.pressure = load<order::relaxed, scope::device>(m.pressure);
  look.under_way = true;
}
/// The next turn takes from the lane if there is something, and else from what an idle warp has found (ahead.cuh); unless a
/// worker's spill is over half full.
inline void note_look(on_chip& c, const memory& m, const lane_look& look) {
  if (!look.under_way) return;
  const bool there = abi::is_ready(look.seen, c.lane_head[look.lane], m.lane_shift);
  c.lane_ready = look.pressure != 0 ? 0 : there ? look.lane + 1 : next_ahead(c, m);
  store<order::relaxed, scope::block>(&c.next_lane, look.lane + 1);
}

/// A look costs a busy turn as long as the bus takes, so there is one in so many of them.
inline constexpr u32 busy_turns_a_look = 8;
inline constexpr u32 busy_batch = 64;  ///< messages
/// After note_look(). @param messages  of the turn's batch.
template <class Block>
void pace_lane_looks(on_chip& c, const lane_look& look, u32 messages) {
  if (!Block::host_is_far) return;
  if (messages < busy_batch) {
    c.look_wait = 0;
  } else if (look.under_way && c.lane_ready == 0) {
    c.look_wait = busy_turns_a_look - 1;
  }
}

}  // namespace perdure::loop
