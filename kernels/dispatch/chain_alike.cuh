// kernels/dispatch/chain_alike.cuh - the only chain of a batch, if it is a hot actor's: lanes side by side all do the same.
// Why: such messages are few, and one lane handles them while all others wait; but what one of them sends may be much. Where 32
//      lanes have the same in hand, each makes its own of the messages that send_n() sends.
// Invariant: what others can see is done by one of them, or written by all alike (lane_state::alike); each message is handled
//            as if it came alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/call.cuh"

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

/// Whether lanes may do the same with all messages of such a chain: they are for one actor, of a type that says it is hot,
/// whose state fits into registers, and each may send many. All lanes. @param messages  of the batch.
template <class Block, class Handle>
bool goes_alike(Block& b, on_chip& c, const memory& m, u32 messages, const Handle& handle) {
  const word first = c[m.in][c[m.start][c[m.order][0]]];
  const u32 type = c[m.handlers_here][abi::handler_of(first)].actor;
  return !b.any([&](u32 lane) {
    if (lane >= messages) return false;
    const word mine = c[m.in][c[m.start][lane]];
    const u32 handler = abi::handler_of(mine);
    return !handle.sends_many(handler) || c[m.handlers_here][handler].actor != type ||
           abi::receiver_index(mine) != abi::receiver_index(first) ||
           abi::receiver_generation(mine) != abi::receiver_generation(first);
  });
}

/// Lanes side by side: those messages, until their actor's life ends, or they have sent so much that the others are left. What
/// is still to be done, if there is no such actor, or no more, is the chain again, for dead letters.
template <class Handle>
void run_alike(on_chip& c, const memory& m, bool leads, u32 messages, Handle& handle) {
  u32 n = c[m.order][0];
  u32 length = 0;
  const word first = c[m.in][c[m.start][n]];
  const u32 type = c[m.handlers_here][abi::handler_of(first)].actor;
  actor_in_hand who;
  who.take(0, c[m.types_here][type], slot_in_use(c, m, n, first));
  if (!agreed(who.reaches(first))) return;
  const u64 clock = c.hot.clock;
  lane_state call = begin_call(c, m, flight_of(c, m, 0), first, type, who, clock, c.now_ns);
  if (leads) call.end_others_run();
  meet_alike();
  call.begin_staging(leads);
  call.alike = true;
  PERDURE_ROLLED
  for (;;) {
    const u32 at = c[m.start][n];
    const word head = c[m.in][at];
    call.asker = abi::sender_of(head);
    store<order::relaxed, scope::system>(
        flight_of(c, m, 0), (u64{abi::handler_of(head)} + 1) << 32U | abi::receiver_index(head));
    handle.alike(abi::handler_of(head), who.slot + who.offset,
                 message_view{c[m.in] + at, &m, abi::words_of(head)}, call);
    meet_alike();  // the state is there for the next one
    ++length;
    n = c[m.next][n];
    if (agreed(n == nobody || call.status != abi::slot_alive ||
               may_leave(m, call.staged_top(), messages - length)))
      break;
    ++call.past;
    ++call.handled;
    call.draws = 0;
  }
  if (!leads) return;
  const bool ends = call.status != abi::slot_alive;
  call.end_staging();
  c.hot.clock = end_call(c, m, call, who.header);
  store<order::relaxed, scope::system>(flight_of(c, m, 0), u64{0});
  who.put_down();
  if (length > 1) fetch_max<scope::block>(&c.longest, length);
  c[m.order][0] = static_cast<u16>(n);
  if (!ends) leave_chain(c, m);
}

}  // namespace perdure::loop
