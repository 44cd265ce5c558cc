// kernels/dispatch/joint_call.cuh - a run of messages of one actor and one handler, which lanes side by side handle at once.
// Why: on_run() has up to 32 messages in hand (docs/adr/065); each sends as if it had come alone, with its own context, stamp
//      and number, in turn or, where that can be told beforehand, side by side.
// Invariant: a message's event, and behind it those of what it sends, come before the next message's.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/call.cuh"
#include "kernels/platform/side_by_side.cuh"

namespace perdure::loop {

/// Whether a program has types with on_run(), as far as its code, as the loop calls it, tells.
template <class Handle>
constexpr bool has_runs_of_handle() {
  return runs_are_built && requires(const Handle& h) { h.takes_runs(u32{0}); };
}
template <class Handle>
inline constexpr bool has_runs = has_runs_of_handle<Handle>();

/// So many messages are worth it: with fewer one lane is as fast.
inline constexpr u32 least_at_once = 4;

/// The i-th bit that is set, of at least i + 1.
inline u32 place_of_bit(u32 bits, u32 i) {
  if ((bits & (bits + 1)) == 0) return i;  // none is missing below it, as mostly
  u32 at = 0;
  for (u32 half = 16; half != 0; half /= 2) {
    const u32 low = static_cast<u32>(__builtin_popcount(bits >> at & ((1U << half) - 1)));
    if (i < low) continue;
    i -= low;
    at += half;
  }
  return at;
}
inline u32 first_bit(u32 bits) { return static_cast<u32>(__builtin_ctz(bits)); }
inline u32 count_bits(u32 bits) { return static_cast<u32>(__builtin_popcount(bits)); }

/// A run of messages under way at lanes side by side: what the context of each message's call is made of.
struct joint_call {
  on_chip* chip;
  const memory* mem;
  u64 self;
  u64 stamp;     ///< of the event before the first message
  u32 handled;   ///< by the actor, before it
  u32 sent = 0;  ///< events besides the messages
  /// Of a hot actor's row (message_row.cuh) the call that they are part of, which stages what it sends; else there is none.
  lane_state* row = nullptr;
  bool has_room = false;  ///< on chip, for a message of each; whoever stages them has used it
  bool left_row = false;  ///< its call does not stage, from some message on

  /// All lanes: message i's lane runs f(call), with all others waiting. By rising i. @param asker  of message i.
  template <class F>
  void in_turn(u32 i, u64 asker, F f) {
    leave_row();
    value_beside<u32> more;
    lanes_beside::alone(i, [&] {
      const u64 received = stamp + i + 1 + sent;
      lane_state call{chip,         mem,         self, asker,           received,
                      chip->now_ns, handled + i, 0,    abi::slot_alive, 0};
      f(call);
      call.place_held();
      more.own(i) = static_cast<u32>(call.stamp - received);
    });
    sent += more.of(i);
  }
  /// All lanes: those of the messages whose bit is set send to a host side by side, each the event behind its message.
  /// @param payload  (u32 i) -> message i's payload_pieces<Words>. @return false: they must do so in turn; nothing was sent.
  template <u32 Words, class Payload>
  bool send_host_beside(u32 bits, u64 to, u32 message, Payload payload) {
    constexpr u32 units = units_for(Words);
    const u32 all = count_bits(bits);
    leave_row();
    value_beside<u32> unit, offset;
    if (lanes_beside::leads()) {
      const bool may = to != 0 && abi::ref_system(to) == mem->system &&
                       abi::ref_type(to) == abi::mailbox_type && chip->straight == 0;
      unit.own(0) = may ? units_in_a_row(*chip, *mem, all * units) : no_units;
      if (unit.own(0) != no_units) {
        offset.own(0) =
            fetch_add<scope::block>(&(*chip)[mem->out_count][mem->workers], all * Words);
        count(*chip, abi::counter::to_host, all);
        if (!waits(*mem, mem->workers)) store<order::relaxed, scope::block>(&chip->may_drop, 1U);
      }
    }
    const u32 first = unit.of(0), begin = offset.of(0);
    if (agreed(first == no_units)) return false;
    const bool here = agreed(first + all * units <= mem->chip_units);
    const u64 lo = abi::envelope_lo(abi::ref_index(to), message,
                                    abi::host_handler(abi::host_kind::mailbox), Words);
    lanes_beside::each([&](u32 i) {
      if ((bits >> i & 1U) == 0) return;
      const u32 before = count_bits(bits & ((1U << i) - 1)), at = first + before * units;
      const auto pieces = payload(i);
      const u64 sends = stamp + i + 2 + sent + before;
      const auto word_at = [&](u32 k) { return pieces(k, lo, self & abi::data_mask, sends); };
      if (here) {
        const outbox_entry entry{begin + before * Words, mem->workers, Words};
        put_here((*chip)[mem->entry] + at, entry.bits());
        put_words_here<Words>(*chip, *mem, at, word_at);
      } else {
        const outbox_place place =
            enter_message(*chip, *mem, mem->workers, begin + before * Words, at, Words);
#if defined(__CUDACC_RTC__)
#pragma unroll
#endif
        for (u32 k = 0; k < Words; ++k) place.put(k, word_at(k));
      }
    });
    sent += all;
    return true;
  }
  /// All lanes: the same to actors, each to its own, of at most unit_words. It is staged, so in a row only.
  /// @param to  (u32 i) -> message i's receiver. @param payload  (u32 i) -> what it sends there.
  template <class To, class Payload>
  bool send_beside(u32 bits, u32 handler, To to, Payload payload) {
    if constexpr (hot_is_built) {
      if (!has_room || left_row) return false;
      has_room = false;
      const u32 all = count_bits(bits);
      lanes_beside::each([&](u32 i) {
        if ((bits >> i & 1U) == 0) return;
        stage_place at = row->next;
        at.unit += count_bits(bits & ((1U << i) - 1)) * sizeof(staged_message);
        at.put(to(i), row->past + i + 1, handler, payload(i));
      });
      row->next.unit += all * static_cast<u32>(sizeof(staged_message));
      sent += all;
      return true;
    } else {
      return false;
    }
  }
  /// All lanes, behind so many messages of a row: its call is that of the last one.
  void end_in_row(u32 messages) {
    row->handled += messages;
    if (!left_row) {
      row->past += messages;
      return;
    }
    lanes_beside::meet();
    row->end_turns(stamp + messages + sent);
  }

 private:
  /// What is sent in turn is not staged: behind what is.
  void leave_row() {
    if constexpr (hot_is_built) {
      if (row == nullptr || left_row) return;
      left_row = true;
      row->begin_turns();
      lanes_beside::meet();
    }
  }
};

}  // namespace perdure::loop
