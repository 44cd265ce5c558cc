// kernels/dispatch/message_row.cuh - messages of one actor and one handler in the order in which they stand, taken apart.
// Why: one lane handles a hot actor's messages one after another, and all others wait for it. So what can be done for a
//      message before its turn is done by all lanes: whose it is, its payload, its sender. The one lane then reads from
//      fixed places, a few messages ahead, and follows no pointer.
// Invariant: a message is taken apart where it stands and takes as many words as before, so those that are not for the
//            actor stay what they are; each is handled as if it came alone: its own stamp, sender, number and draws.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/joint_call.cuh"

namespace perdure::loop {

/// A message that is taken apart has at most so many words: those of 38 bytes.
inline constexpr u32 row_words = unit_words;
static_assert(row_words <= held_words, "it is sent without a buffer");

/// Of its 2 * words numbers the last three are the field of who sent it, as it was; the actor that sent it, or 0; and the
/// first number of the envelope. Before them stands the payload. The tags are gone.
inline constexpr u32 asker_from_end = 3, sender_from_end = 2, envelope_from_end = 1;

/// Takes a message apart where it stands.
inline void take_apart(word* at, u32 words, u32 system) {
  const u64 lo = at[0].lo;
  const u64 asker = abi::sender_of(at[0]);
  const word last{sender_of_asker(asker, system), lo};
  const u64 first = at[1].lo >> 56U | at[1].hi << 8U;
  if (words == 2) {
    at[0] = {first, asker};
  } else {
    const word second = at[2];
    at[0] = {first, second.lo};
    if (words == 3) {
      at[1] = {second.hi & abi::data_mask, asker};
    } else {
      const word third = at[3];
      at[1] = {(second.hi & abi::data_mask) | third.lo << 56U, third.lo >> 8U | third.hi << 56U};
      at[2] = {third.hi >> 8U & abi::data_mask >> 8U, asker};
    }
  }
  at[words - 1] = last;
}

#if !defined(__CUDACC_RTC__)
/// The message that was taken apart here, but for its stamp. @param to  of so many words.
inline void put_together(const word* at, u32 words, word* to) {
  to[0] = {at[words - 1].hi, at[words - 2].hi};
  abi::pack_bytes(to, at, abi::word_bytes * words - abi::header_bytes, 0, words);
}
#endif

/// Messages that have landed, of which one lane handles those for one actor and handler.
struct message_row {
  static constexpr u32 at_a_time = 4;  ///< in registers

  on_chip* chip;
  const memory* mem;
  u32 end;     ///< behind the last one; those from here on stay where they came from
  u32 others;  ///< messages for others among them, as memory::late says: they are passed over
  u32 at_once;  ///< so many are handled without a look at what is left of the outbox: a multiple of at_a_time
  u32 done = 0;    ///< the first one that is neither handled nor passed over
  u32 passed = 0;  ///< those that are passed over
  u32 handled = 0;

  /// f(numbers, sender) for each message, as long as the actor lives, and less than half of the outbox is in use: what
  /// follows may send as much as a batch of its own.
  /// @param call  of the actor; its stamp and its number are those of the event and of the message before.
  /// @tparam Words  of each message. @tparam Alike  all lanes side by side call it, with the same in hand.
  template <u32 Words, bool Alike, class F>
  void each(lane_state& call, F f) {
    on_chip& c = here(*chip);
    const memory& m = here(*mem);
    PERDURE_ROLLED
    while (known<Alike>(done < end)) {
      u32 to = end;
      if (known<Alike>(passed < others)) {
        const u32 other = c[m.late][passed] & 0xffffU;
        if (known<Alike>(other == done)) {
          ++passed;
          ++done;
          continue;
        }
        to = other < to ? other : to;
      }
      if (known<Alike>(handled != 0 && call.staged_top() * 2 > m.chip_units)) return;
      const u32 most = to - done < at_once ? to - done : at_once;
      const u32 n = side_by_side<Words, Alike>(c[m.in] + c[m.start][done], most, call, f);
      handled += n;
      done += n;
      if (known<Alike>(call.status != abi::slot_alive)) return;
    }
  }

  /// The same where up to 32 messages are handled at once: all lanes side by side. There is room on chip for what each sends.
  /// @param run  (const word* first, u32 count, joint_call&) -> messages that on_run() took.
  /// @param alone  (message_row& some): these one after another, by on().
  template <u32 Words, class Run, class Alone>
  void in_runs(lane_state& call, Run run, Alone alone) {
    constexpr u32 at_most = 32;
    on_chip& c = here(*chip);
    const memory& m = here(*mem);
    // what is staged up to there leaves room for what one of them sends, and the first one may begin; the others may up to half
    const u32 room = m.chip_units < at_most ? 0 : m.chip_units - at_most;
    const stage_place last = stage_place::of(c, m, room);
    const stage_place half =
        stage_place::of(c, m, room < m.chip_units / 2 ? room : m.chip_units / 2);
    u32 rest = 0, vain = 0;  // as of joint_chain in together.cuh
    PERDURE_ROLLED
    while (agreed(done < end)) {
      const u32 to = next_other(c, m);
      if (agreed(to == done)) {
        ++passed;
        ++done;
        continue;
      }
      const word* at = c[m.in] + c[m.start][done];
      PERDURE_ROLLED
      for (;;) {  // those up to there stand in a row
        const u32 most = to - done < at_most ? to - done : at_most;
        const chip_address up_to = handled != 0 ? half.unit : last.unit;
        const bool goes = most >= least_at_once && rest == 0 && call.next.unit <= up_to &&
                          m.chip_units >= at_most;
        if (!agreed(goes)) break;
        joint_call joint{&c, &m, call.self, call.last_stamp(), call.handled + 1, 0, &call, true};
        u32 took = run(at, most, joint);
        took = took < most ? took : most;
        joint.end_in_row(took);
        handled += took;
        done += took;
        at += took * Words;
        vain = took >= least_at_once ? 0 : vain < 16 ? 2 * vain + 1 : vain;
        rest = vain == 0 && took < most ? 1 : vain;
      }
      if (agreed(to == done)) continue;
      if (agreed(handled != 0 && call.staged_top() * 2 > m.chip_units)) return;
      // one by one: what on_run() has left, and the few behind it for which it is not asked again
      const u32 most = to - done;
      const u32 few = most < least_at_once || most < rest ? most : rest != 0 ? rest : 1;
      message_row some{chip, mem, done + few, 0, at_once, done};
      alone(some);
      rest -= some.handled < rest ? some.handled : rest;
      handled += some.handled;
      done = some.done;
      if (agreed(call.status != abi::slot_alive)) return;
    }
  }

#if !defined(__CUDACC_RTC__)
  /// The same for who has no loop of his own: f(view) of each message, put together again. @param words  of each.
  template <class F>
  void each_as_it_came(u32 words, lane_state& call, F f) {
    const auto again = [&](const auto& record, u64 /*sender*/) {
      constexpr u32 count = sizeof(record) / sizeof(word);
      word came[count];
      put_together(record, count, came);
      f(message_view{came, mem, count});
    };
    if (words == 2) each<2, false>(call, again);
    if (words == 3) each<3, false>(call, again);
    if (words == 4) each<4, false>(call, again);
  }
#endif

 private:
  /// The next message for others, or the end.
  u32 next_other(const on_chip& c, const memory& m) const {
    if (passed >= others) return end;
    const u32 other = c[m.late][passed] & 0xffffU;
    return other < end ? other : end;
  }
  /// What lanes that do the same know alike: the compiler is told.
  template <bool Alike>
  static bool known(bool holds) {
    return Alike ? agreed(holds) : holds;
  }
  /// @return messages handled: not all if the actor's life ended, or if few units are left on chip for what they send.
  template <u32 Words, bool Alike, class F>
  static u32 side_by_side(const word* at, u32 count, lane_state& call, F& f) {
    // whether there is a next turn of the loop is known a turn before it, so units for two are spared
    constexpr u32 ahead = at_a_time, units = 2 * ahead;
    const u32 room = call.mem->chip_units;
    const stage_place last =
        stage_place::of(*call.chip, *call.mem, room < units ? 0 : room - units);
    u32 n = 0;
    if (known<Alike>(count >= ahead && room >= units)) {
      word records[ahead][Words];
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
      for (u32 k = 0; k < ahead; ++k) fetch(records[k], at + k * Words);
      // not told that they agree: to ask takes longer than for lanes to meet behind the loop
      bool goes_on = call.next.unit <= last.unit;
      PERDURE_ROLLED
      for (; goes_on; n += ahead, at += ahead * Words) {
        goes_on = n + 2 * ahead <= count && call.next.unit <= last.unit;
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
        for (u32 k = 0; k < ahead; ++k) {
          const bool lives = one<units>(records[k], call, f);
          if (!lives || (call.strayed && known<Alike>(call.next.unit > last.unit)))
            return n + k + 1;
          if (reads_on(n + ahead + k < count)) fetch(records[k], at + (ahead + k) * Words);
        }
      }
    }
    PERDURE_ROLLED
    for (; known<Alike>(n < count); ++n, at += Words) {
      word record[Words];
      fetch(record, at);
      if (!one<0>(record, call, f)) return n + 1;
    }
    return n;
  }
  /// Behind the last message a device reads on, for nothing: it is on chip all the same, and to know would take longer.
  static bool reads_on([[maybe_unused]] bool there) {
#if defined(__CUDACC_RTC__)
    return true;
#else
    return there;
#endif
  }
  /// @tparam Spared  units: see lane_state.
  template <u32 Spared, u32 Words, class F>
  static bool one(const word (&record)[Words], lane_state& call, F& f) {
    ++call.past;
    ++call.handled;
    call.draws = 0;
    call.asker = record[Words - 2].hi;
    call.spared = Spared;
    call.has_unit = Spared != 0;
    call.strayed = false;
    f(record, record[Words - 1].lo);
    return call.status == abi::slot_alive;
  }
  template <u32 Words>
  static void fetch(word (&to)[Words], const word* from) {
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
    for (u32 k = 0; k < Words; ++k) to[k] = from[k];
  }
};

}  // namespace perdure::loop
