// kernels/dispatch/chain_alike.cuh - a hot actor's chain of messages that may each send many: lanes side by side all do the same.
// Why: such messages are few, and one lane handles them while all others wait; but what one of them sends may be much. Where 32
//      lanes have the same in hand, each makes its own of the messages that send_n() sends.
// Invariant: what others can see is done by one of them, or written by all alike (lane_state::alike); each message is handled
//            as if it came alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/message_run.cuh"

namespace perdure::loop {

/// Half of the outbox on chip is used, and one more message of a batch's only chain may send as much again: off the chip it
/// would take several times as long. So what is left waits for the next batch. @param top  units in use. @param left  messages.
inline bool may_leave(const memory& m, u32 top, u32 left) {
  return top * 2 > m.chip_units && left != 0 && left <= most_deferred &&
         left * lanes_a_deferred <= m.lanes && !has_wide(m);
}

/// Notes what is left of a batch's only chain, for the next one. One lane.
inline void leave_chain(on_chip& c, const memory& m) {
  PERDURE_ROLLED
  for (u32 n = c[m.order][0]; n != nobody; n = c[m.next][n]) c[m.late][c.hot.left++] = n;
  c[m.order][0] = static_cast<u16>(nobody);
}

/// Whether some handlers of a program call send_n(), as far as its code tells: their messages are left to turns of all lanes.
template <class Handle>
constexpr bool may_send_many_of_handle() {
  return hot_is_built && requires(const Handle& h) { h.sends_many(u32{0}); };
}
template <class Handle>
inline constexpr bool may_send_many = may_send_many_of_handle<Handle>();
/// Whether such a message is for one of them. @param first  its first word.
template <class Handle>
bool sends_many([[maybe_unused]] const Handle& handle, [[maybe_unused]] word first) {
  if constexpr (may_send_many<Handle>) {
    return handle.sends_many(abi::handler_of(first));
  } else {
    return false;
  }
}

/// Whether the host may send messages over 240 bytes to a program that knows of itself: those, too, which all lanes bring.
template <class Handle>
constexpr bool may_bring_of_handle() {
  if constexpr (requires { Handle::large_messages; }) {
    return host_buffers_are_built && Handle::large_messages;
  } else {
    return false;
  }
}
template <class Handle>
inline constexpr bool may_bring = may_bring_of_handle<Handle>();
/// Whether a message of the host's is left to a turn of all lanes. @param first  its first word.
template <class Handle>
bool is_for_all([[maybe_unused]] const on_chip& c, [[maybe_unused]] const memory& m,
                const Handle& handle, word first) {
  bool all = sends_many(handle, first);
  if constexpr (may_bring<Handle>)
    all = all || c[m.handlers_here][abi::handler_of(first)].bytes > abi::inline_payload;
  return all;
}

/// Whether lanes may do the same with message `n` as with one of this receiver: it is for that actor, of a type that says it is
/// hot, whose state fits into registers, and may send many.
template <class Handle>
bool joins_alike(const on_chip& c, const memory& m, u32 n, word receiver, u32 type,
                 const Handle& handle) {
  const word mine = c[m.in][c[m.start][n]];
  const u32 handler = abi::handler_of(mine);
  return handle.sends_many(handler) && c[m.handlers_here][handler].actor == type &&
         abi::receiver_index(mine) == abi::receiver_index(receiver) &&
         abi::receiver_generation(mine) == abi::receiver_generation(receiver);
}
/// Whether they may do so with all messages of a batch's only chain. All lanes. @param messages  of the batch.
template <class Block, class Handle>
bool goes_alike(Block& b, on_chip& c, const memory& m, u32 messages, const Handle& handle) {
  const word first = c[m.in][c[m.start][c[m.order][0]]];
  const u32 type = c[m.handlers_here][abi::handler_of(first)].actor;
  return !b.any(
      [&](u32 lane) { return lane < messages && !joins_alike(c, m, lane, first, type, handle); });
}

/// What has become of such messages.
struct alike_run {
  u32 next;    ///< the first that was not handled, or nobody
  u32 length;  ///< messages handled
  u64 stamp;   ///< of the last event; of who leads
  bool ends;   ///< their actor's life; of who leads
};
/// Lanes side by side: messages of an actor that lives, until its life ends, or the others are left.
/// @param n  the first one. @param clock  before it. @param behind  (u32 n) -> the next one, or nobody.
/// @param may_stop  (u32 units, u32 handled) -> whether the others are left, when so much of the outbox is in use.
template <class Handle, class Behind, class MayStop>
alike_run call_alike(on_chip& c, const memory& m, bool leads, u32 type, actor_in_hand& who, u32 n,
                     u64 clock, Handle& handle, Behind behind, MayStop may_stop) {
  lane_state call =
      begin_call(c, m, flight_of(c, m, 0), c[m.in][c[m.start][n]], type, who, clock, c.now_ns);
  if (leads) call.end_others_run();
  meet_alike();
  call.begin_staging(leads);
  call.alike = true;
  u32 length = 0;
  PERDURE_ROLLED
  for (;;) {
    const u32 at = c[m.start][n];
    const word head = c[m.in][at];
    call.asker = abi::sender_of(head);
    if (length != 0)
      store<order::relaxed, scope::system>(
          flight_of(c, m, 0), (u64{abi::handler_of(head)} + 1) << 32U | abi::receiver_index(head));
    handle.alike(abi::handler_of(head), who.slot + who.offset,
                 message_view{c[m.in] + at, &m, abi::words_of(head)}, call);
    meet_alike();  // the state is there for the next one
    ++length;
    n = behind(n);
    if (agreed(n == nobody || call.status != abi::slot_alive ||
               may_stop(call.staged_top(), length)))
      break;
    ++call.past;
    ++call.handled;
    call.draws = 0;
  }
  if (!leads) return {n, length, 0, false};
  const bool ends = call.status != abi::slot_alive;
  call.end_staging();
  const u64 stamp = end_call(c, m, call, who.header);
  store<order::relaxed, scope::system>(flight_of(c, m, 0), u64{0});
  who.put_down();
  return {n, length, stamp, ends};
}

/// Lanes side by side: those messages of a batch. What is still to be done, if there is no such actor, or no more, is the chain
/// again, for dead letters; what is left of it is the next batch's. Such messages are likely to follow: see hot_stream.cuh.
template <class Handle>
void run_alike(on_chip& c, const memory& m, bool leads, u32 messages, Handle& handle) {
  const u32 n = c[m.order][0];
  const word first = c[m.in][c[m.start][n]];
  const u32 type = c[m.handlers_here][abi::handler_of(first)].actor;
  actor_in_hand who;
  who.take(0, c[m.types_here][type], slot_in_use(c, m, n, first));
  if (!agreed(who.reaches(first))) return;
  const alike_run ran = call_alike(
      c, m, leads, type, who, n, c.hot.clock, handle, [&](u32 before) { return c[m.next][before]; },
      [&](u32 units, u32 handled) { return may_leave(m, units, messages - handled); });
  if (!leads) return;
  c.hot.clock = ran.stamp;
  if (ran.length > 1) fetch_max<scope::block>(&c.longest, ran.length);
  c[m.order][0] = static_cast<u16>(ran.next);
  if (ran.ends) return;
  leave_chain(c, m);
  // but where one of an actor that gets many is under way: it forgets what is in vain
  if (c.stream.lo != 0 || !streams(c, m, handle, first)) return;
  c.stream.lo = first.lo;
  c.stream.vain = 0;
}

/// Lanes side by side: of a batch with several chains those that begin with such messages, one after another. What is left of
/// a chain stands in its place, for who handles the others.
/// @return the worker's clock, past all that was handled: of who leads.
template <class Handle>
u64 run_senders(on_chip& c, const memory& m, bool leads, u32 places, u64 clock, Handle& handle) {
  u64 last = clock;
  PERDURE_ROLLED
  for (u32 from = 0; agreed(from < places); from += 32) {
    u32 senders = lanes_beside::which([&](u32 k) {
      const u32 n = from + k < places ? c[m.order][from + k] : nobody;
      return n != nobody && sends_many(handle, c[m.in][c[m.start][n]]);
    });
    PERDURE_ROLLED
    for (; agreed(senders != 0); senders &= senders - 1) {
      const u32 place = from + first_bit(senders);
      const u32 n = c[m.order][place];
      const word first = c[m.in][c[m.start][n]];
      const u32 type = c[m.handlers_here][abi::handler_of(first)].actor;
      actor_in_hand who;
      who.take(0, c[m.types_here][type], slot_in_use(c, m, n, first));
      if (!agreed(who.reaches(first))) continue;
      u32 others = nobody;
      const alike_run ran = call_alike(
          c, m, leads, type, who, n, clock, handle,
          [&](u32 before) {
            const u32 behind = c[m.next][before];
            if (behind == nobody || joins_alike(c, m, behind, first, type, handle)) return behind;
            others = behind;
            return nobody;
          },
          [](u32 /*units*/, u32 /*handled*/) { return false; });
      if (leads) {
        last = ran.stamp > last ? ran.stamp : last;
        if (ran.length > 1) fetch_max<scope::block>(&c.longest, ran.length);
        c[m.order][place] = static_cast<u16>(ran.next != nobody ? ran.next : others);
      }
      meet_alike();
    }
  }
  return last;
}

}  // namespace perdure::loop
