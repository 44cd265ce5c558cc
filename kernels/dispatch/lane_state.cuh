// kernels/dispatch/lane_state.cuh - one handler call under way, on any backend.
// Why: send, reply, after, now, random, stop and fail mean the same on device and host because they are this code.
// Invariant: nothing here waits; the stamps of a call only rise; one lane uses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/clock/hybrid.cuh"
#include "kernels/dispatch/payload.cuh"
#include "kernels/platform/side_by_side.cuh"

namespace perdure::loop {

/// The actor that a sender field names, or 0: an ask is none.
inline u64 sender_of_asker(u64 asker, u32 system) {
  if (asker == 0 || abi::ref_type(asker) == abi::ask_type) return 0;
  return asker | static_cast<u64>(system) << 56U;
}

/// Messages that were placed in the outbox are counted as sent by reserve(), those that could not be placed, joined those in
/// hand or went straight at once. A `Payload` is
/// payload_bytes or payload_sent.
struct lane_state {
  on_chip* chip;
  const memory* mem;
  u64 self;     ///< reference of the actor in hand
  u64 asker;    ///< sender field of the message in hand, 56 bits: an actor, an ask, or 0
  u64 stamp;    ///< of this actor's last event
  u64 now_ns;   ///< steady clock when the batch was taken
  u32 handled;  ///< messages this actor handled before
  u32 draws;
  u32 status;  ///< abi::slot_status after this call
  u32 reason;  ///< given to fail()
  /// One lane is at work, as on_chip::straight; here, where the compiler knows it of each place that calls handlers.
  bool straight = false;
  held_send held{};
  bool stages = false;  ///< no other lane is at work, but for those that do the same: see stage.cuh
  bool alike = false;   ///< there are such lanes
  bool leads = true;    ///< of them this is the first one
  /// While it stages: `stamp` is that of the last event before the first message that is staged, `past` the events since
  /// but for those that staged one.
  stage_place first_staged{}, next{};  ///< units; `next` in place of on_chip::out_top
  u32 past = 0;
  u32 spared =
      0;  ///< units on chip that are left to the first message that each of so many calls sends
  bool has_unit = false;  ///< one of them is the call's in hand, which has sent nothing
  bool strays = false;    ///< one() does something else for it
  bool strayed = false;   ///< it has

  u64 sender() const { return sender_of_asker(asker, mem->system); }
  u64 own() const { return self & abi::data_mask; }

  /// Whether something is still to be done by one(), or is being done by it. On the device whoever calls has seen to it
  /// (device_lane.cuh), once: else the compiler would follow calls of themselves, for a minute.
#if defined(__CUDACC_RTC__)
  static constexpr bool must_stray() { return false; }
  static constexpr bool is_straying() { return false; }
#else
  bool must_stray() const { return hot_is_built && stages && !strays; }
  bool is_straying() const { return strays; }
#endif

  /// To an actor. @return false if there is no room: the caller keeps its buffer, the message is a dead letter.
  /// @tparam MayHold  place_held() will be called: a short message need not have its place at once.
  /// @tparam MayStage  it is not called by one() already, nor by a wide actor's.
  template <bool MayHold = false, bool MayStage = true, class Payload>
  bool send(u64 to, u32 handler, const Payload& payload) {
    if constexpr (hot_is_built && MayStage) {
      if (stages) return send_staged(to, handler, payload);
    }
    ++stamp;
    if (to == 0 || abi::ref_system(to) != mem->system) {
      count(*chip, abi::counter::sent);
      dead_letter(*chip, *mem, to == 0 ? abi::dead_reason::null_ref : abi::dead_reason::foreign,
                  own(), to, handler);
      return false;
    }
    const u32 dst = destination(*chip, *mem, to, handler);
    const u64 lo = receiver(to, handler, payload.words());
    if (pass_on<MayHold>(dst, lo, payload)) return true;
    exhausted(to, handler);
    return false;
  }
  /// One lane is at work, for which all others wait. @return as send(); of lanes that do the same, only the first one's says it.
  template <class Payload>
  bool send_staged(u64 to, u32 handler, const Payload& payload) {
#if !defined(__CUDACC_RTC__)  // here it may be the handle of a buffer, which goes back at once
    const bool may_stage = to != 0 && abi::ref_system(to) == mem->system;
#else
    constexpr bool may_stage = true;
#endif
    if (may_stage && payload.words() <= unit_words &&
        (has_unit || staged_top() + spared < mem->chip_units)) {
      has_unit = false;
      next.put(to, past, handler, payload);
      return true;
    }
    bool sent = false;
    one<false>([&] { sent = payload.send_slowly(*chip, *mem, self, ++stamp, to, handler); });
    return sent;
  }
  u32 staged_top() const { return next.behind(stage_place::of(*chip, *mem, 0)); }
  u64 last_stamp() const { return stamp + past + next.behind(first_staged); }
  void put_staged_top() { (*chip)[mem->staged]->end = chip->out_top = staged_top(); }
  /// Whether what is staged goes on with this call: numbers of events between are 32 bits.
  bool goes_on(const staged_run& run) const {
    constexpr u64 far = 1ULL << 31U;
    return run.first < run.end && run.end == chip->out_top && run.sender == self &&
           stamp - run.stamp < far;
  }
  /// One lane: places what is staged, unless it goes on.
  void end_others_run() {
    const staged_run& run = *(*chip)[mem->staged];
    if (run.first < run.end && !goes_on(run)) place_staged_alone(*chip, *mem);
  }
  /// From now on it stages. Lanes that do the same all call it, behind end_others_run() and a meeting.
  void begin_staging(bool is_first) {
    stages = true;
    leads = is_first;
    const staged_run& run = *(*chip)[mem->staged];
    if (!goes_on(run)) return begin_run();
    const u32 top = chip->out_top;
    next = stage_place::of(*chip, *mem, top);
    first_staged = stage_place::of(*chip, *mem, run.first);
    past = static_cast<u32>(stamp - run.stamp) - (top - run.first);
    stamp = run.stamp;
  }
  /// What is staged from now on begins here.
  void begin_run() {
    const u32 top = chip->out_top;
    if (leads) *(*chip)[mem->staged] = {self, stamp, top, top};
    next = first_staged = stage_place::of(*chip, *mem, top);
  }
  /// It stages no more; what is staged still has no place, but if the actor's life ended.
  void end_staging() {
    stamp = last_stamp();
    put_staged_top();
    past = 0;
    first_staged = next;
    stages = false;
    if (status != abi::slot_alive) place_staged_alone(*chip, *mem);
  }
  /// Does what others can see, behind what is staged: of lanes that do the same, one. @tparam Place  f does not do that.
  template <bool Place = true, class F>
  void one(F f) {
    if (!hot_is_built || !stages || is_straying()) return f();
    begin_straying<Place>();
    if (leads) f();
    end_straying();
  }
  template <bool Place>
  void begin_straying() {
    has_unit = false;
    strayed = true;
    stamp = last_stamp();
    past = 0;
    if (alike) meet_alike();
    if (!leads) return;
    put_staged_top();
    if constexpr (Place) place_staged_alone(*chip, *mem);
    first_staged = next;
    strays = true;
  }
  void end_straying() {
    if (leads) {
      strays = false;
      stamp += past;
    }
    if (alike) {
      meet_alike();
      stamp = of_first_alike(stamp);
    }
    past = 0;
    begin_run();
  }
  /// Lanes that do the same: messages of its run send in turn, each by a call of its own, behind what is staged. What of it is the
  /// first one's alone is the others' again with end_turns().
  void begin_turns() { begin_straying<true>(); }
  /// They have, up to this event; all lanes, behind a meeting. It stages again.
  void end_turns(u64 last) {
    strays = false;
    stamp = last;
    past = 0;
    begin_run();
  }
  /// Lanes that do the same, to an actor: of n messages of `words` words, the i-th with payload(i), as many as the outbox has
  /// units for, each by some lane, which knows its place: they have one receiver and one length. @return how many.
  template <class PayloadOf>
  u32 place_beside(u64 to, u32 handler, u32 words, u32 n, PayloadOf payload) {
    if (!agreed(n != 0 && to != 0 && abi::ref_system(to) == mem->system)) return 0;
    begin_straying<true>();
    lanes_beside::meet();
    on_chip& c = *chip;
    const u32 dst = destination(c, *mem, to, handler);
    const u32 top = c.out_top, begin = c[mem->out_count][dst];
    const u32 room = top < mem->out_units ? mem->out_units - top : 0;
    const u32 count = n < room ? n : room;
    const u64 lo = receiver(to, handler, words);
    lanes_beside::each([&](u32 lane) {
      PERDURE_ROLLED
      for (u32 i = lane; i < count; i += 32)
        payload(i).write(enter_message(c, *mem, dst, begin + i * words, top + i, words), lo, own(),
                         stamp + 1 + i);
    });
    lanes_beside::meet();
    if (leads) {
      c[mem->out_count][dst] = begin + count * words;
      c.out_top = top + count;
      stamp += count;
    }
    end_straying();
    return count;
  }
  template <bool MayHold, class Payload>
  bool pass_on(u32 dst, u64 lo, const Payload& payload) {
    if (hot_is_built && stages) return payload.emit_to(*chip, *mem, dst, lo, own(), stamp);
    if constexpr (MayHold) {
      place_held();
      if constexpr (Payload::words() <= held_words) {
        held.words = payload.words();
        held.dst = dst;
        held.lo = lo;
        held.stamp = stamp;
        payload.copy_to(held.payload);
        return true;
      }
    }
    return payload.emit_to(*chip, *mem, dst, lo, own(), stamp);
  }
  /// Gives the message that is held its place, if there is one; if there is no room it is a dead letter.
  void place_held() {
    if (held.words == 0) return;
    place_or_lose(*chip, *mem, self, held, straight);
    held.words = 0;
  }
  void lost_to_host() { loop::lost_to_host(*chip); }
  void exhausted(u64 to, u32 handler) {
    if (must_stray()) return one([&] { exhausted(to, handler); });
    loop::exhausted(*chip, *mem, self, to, handler);
  }

  /// To a host mailbox; the message id travels where an actor's generation would.
  /// @param letter  abi::letter_of(). @return false if it is nowhere: the caller keeps its buffer.
  template <bool MayHold = false, class Payload>
  bool send_host(u64 to, u32 letter, const Payload& payload) {
    if (must_stray()) {
      bool sent = false;
      one([&] { sent = send_host(to, letter, payload); });
      return sent;
    }
    ++stamp;
    count(*chip, abi::counter::to_host);
    if (to == 0 || abi::ref_system(to) != mem->system || abi::ref_type(to) != abi::mailbox_type) {
      // counted as sent too: it is lost like a message to an actor
      count(*chip, abi::counter::sent);
      dead_letter(*chip, *mem, to == 0 ? abi::dead_reason::null_ref : abi::dead_reason::foreign,
                  own(), to, 0);
      return false;
    }
    return post<MayHold>(abi::host_kind::mailbox, abi::ref_index(to), letter, payload);
  }

  /// As send_host().
  template <bool MayHold = false, class Payload>
  bool reply(u32 letter, const Payload& payload) {
    if (must_stray()) {
      bool sent = false;
      one([&] { sent = reply(letter, payload); });
      return sent;
    }
    ++stamp;
    if (abi::ref_type(asker) != abi::ask_type || asker == 0) {
      count(*chip, abi::counter::unasked);
      return false;
    }
    count(*chip, abi::counter::replies);
    return post<MayHold>(abi::host_kind::reply, abi::ref_index(asker), letter, payload);
  }

  template <bool MayHold, class Payload>
  bool post(abi::host_kind kind, u32 index, u32 letter, const Payload& payload) {
    const u64 lo =
        abi::envelope_lo(index, letter, abi::host_handler(kind, letter >> 16U), payload.words());
    if (pass_on<MayHold>(mem->workers, lo, payload)) return true;
    lost_to_host();
    return false;
  }

  /// Keeps the message until its time; it is sent, stamped and counted then.
  template <class Payload>
  bool after(u64 delay_ns, u64 to, u32 handler, const Payload& payload) {
    if (must_stray()) {
      bool set = false;
      one([&] { set = after(delay_ns, to, handler, payload); });
      return set;
    }
    ++stamp;
    const u32 left = fetch_add<scope::block>(&chip->timer_top, ~0U);  // minus one
    if (left == 0 || left > mem->timer_capacity) {
      fetch_add<scope::block>(&chip->timer_top, 1U);
      exhausted(to, handler);
      return false;
    }
    count(*chip, abi::counter::timers_set);
    const u64 first = static_cast<u64>(chip->worker) * mem->timer_capacity;
    timer_slot& t = mem->timers[first + mem->timer_free[first + left - 1]];
    const u64 never = ~u64{0} - 1;  // a delay past the end of time; 0 would mean a free slot
    const u64 due = delay_ns >= never - now_ns ? never
                    : now_ns + delay_ns == 0   ? 1
                                               : now_ns + delay_ns;
    t.due_ns = due;
    t.stamp = stamp;
    t.receiver = to;
    payload.write(memory_place{t.data}, receiver(to, handler, payload.words()), own(), stamp);
    fetch_min<scope::block>(&chip->timer_due, due);
    return true;
  }
  /// Whether such a reference names an actor, or a mailbox, of this system. In a region what can reach nobody is no event.
  bool may_reach(u64 to) const { return to != 0 && abi::ref_system(to) == mem->system; }
  bool may_reach_host(u64 to) const {
    return may_reach(to) && abi::ref_type(to) == abi::mailbox_type;
  }
  /// A message over 240 bytes for which there is no buffer: an event, as any that is sent, of runs that are recorded; to count it
  /// takes registers, so others do not.
  void no_buffer(u64 to, u32 handler) {
    if (must_stray()) return one([&] { no_buffer(to, handler); });
    if constexpr (records_are_built) stamp += records(*mem) ? 1 : 0;
    exhausted(to, handler);
  }
  /// The same of one to a host, or of an answer.
  void no_buffer_to_host(bool is_reply) {
    if (must_stray()) return one([&] { no_buffer_to_host(is_reply); });
    if constexpr (records_are_built) stamp += records(*mem) ? 1 : 0;
    loop::no_buffer_to_host(*chip, is_reply, asker);
  }
  static u64 receiver(u64 to, u32 handler, u32 words) {
    return abi::envelope_lo(abi::ref_index(to), abi::ref_generation(to), handler, words);
  }

  u64 now() {
    if (hot_is_built && stages) {
      ++past;
      return last_stamp();
    }
    return ++stamp;
  }

  /// A counter-based generator: two rounds of a 64-bit finaliser over seed, actor, message and draw.
  /// @source  Steele, Lea, Flood: SplitMix64, 2014; constants after Stafford's mix 13.
  u64 random() {
    u64 x = mix(mem->seed + own() * 0x9e3779b97f4a7c15ULL);
    x = mix(x ^ (static_cast<u64>(handled) << 32U | draws++));
    return mix(x + mem->seed);
  }
  /// Inside a region of a wide handler: by region and index, too.
  u64 random_at(u32 region, u32 index, u32 draw) const {
    u64 x = mix(mem->seed + own() * 0x9e3779b97f4a7c15ULL);
    x = mix(x ^ (static_cast<u64>(handled) << 32U | 0x8000'0000U | region));
    x = mix(x ^ (static_cast<u64>(index) << 32U | draw));
    return mix(x + mem->seed);
  }
  static u64 mix(u64 x) {
    x = (x ^ x >> 30U) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ x >> 27U) * 0x94d049bb133111ebULL;
    return x ^ x >> 31U;
  }

  /// Scalars into the trace: at most 12 of 64 bits, their kinds 4 bits each.
  void log(u64 format_key, u32 values, u64 kinds, const u64* bits) {
    if (must_stray()) return one([&] { log(format_key, values, kinds, bits); });
    u32 raw[29] = {static_cast<u32>(format_key), static_cast<u32>(format_key >> 32U), values,
                   static_cast<u32>(kinds), static_cast<u32>(kinds >> 32U)};
    for (u32 i = 0; i < 12; ++i) {
      const u64 value = i < values ? bits[i] : 0;
      raw[5 + 2 * i] = static_cast<u32>(value);
      raw[6 + 2 * i] = static_cast<u32>(value >> 32U);
    }
    post_to_host(*chip, *mem, abi::host_kind::log, 0, own(), now(), raw);
  }

  void stop() {
    if (status == abi::slot_alive) status = abi::slot_stopped;
  }
  void fail(u32 why) {
    status = abi::slot_failed;
    reason = why;
  }
};

}  // namespace perdure::loop
