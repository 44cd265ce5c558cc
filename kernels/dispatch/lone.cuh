// kernels/dispatch/lone.cuh - one message that came alone, and what its handler sends to the worker that it is on.
// Why: actors that wait for each other have one message under way. Packed into words, entered, read and unpacked it would
//      take longer than its handler; so one that a call holds at its end stays where it is held, in registers on a GPU, and
//      is the next message.
// Invariant: only where it would be the next one anyway: it could join those in hand (few.cuh), and none of them is left.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/chain_alike.cuh"

namespace perdure::loop {

struct lone_message {
  u32 at;                ///< of memory::in, where it has landed
  bool is_held = false;  ///< in place of that it is the one below
  u64 sender = 0;
  held_send held{};

  word first(const on_chip& c, const memory& m) const {
    return is_held ? word{held.lo, sender} : c[m.in][at];
  }
};

/// Finds out what there is to know of a receiver, and asks for all lines of its state: a handler that finds them missing waits
/// for one after the other. In place of five trips to what is on chip there is then one: who gets a message that came alone
/// often gets the next one. Not inlined, as all here that is rare: what stands between a branch and its target is fetched, or
/// waited for, each time.
PERDURE_OUT_OF_LINE inline void get_to_know(on_chip& chip, const memory& mem, word first) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const abi::handler_entry entry = c[m.handlers_here][abi::handler_of(first)];
  char* slot = slot_of(c, m, entry.actor, abi::receiver_index(first));
  const abi::type_row& row = c[m.types_here][entry.actor];
  if (slot == nullptr) {
    slot = reinterpret_cast<char*>(&c.nobody);
  } else {
    prefetch_slot(slot, row.stride);
  }
  known_place(c, first) = {first.lo, slot, entry, row.offset};
}

/// Whether what a call has held is the next message. @param few  those in hand, as the call has left them.
/// @param done  of them, with this call's.
inline bool is_next(const memory& m, u32 status, const held_send& held, const few_in_hand& few,
                    u32 done, u32 worker) {
  // asked in one: a branch takes half as long as a read
  const u32 none = few.room == 0 || held.words == 0 || has_wide(m) ? 1 : 0;
  return (none | (held.dst ^ worker) | (few.messages ^ done) | (status ^ abi::slot_alive)) == 0;
}

/// A lone message whose receiver is gone. @param buffer  handle_of() it.
template <class Handle>
PERDURE_OUT_OF_LINE void lose_lone(on_chip& chip, const memory& mem, word first, u64 buffer) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  const abi::handler_entry entry = c[m.handlers_here][abi::handler_of(first)];
  lose_call<large_messages_of<Handle>()>(c, m, first, buffer, entry);
}

/// The rare ends of a call: its actor's life has ended, or what it has held found no room.
struct rare_end {
  went_straight went;
  u32 status, reason;
  u64 self, stamp;
  held_send held;
};
/// @return the last stamp.
PERDURE_OUT_OF_LINE inline u64 end_rarely(on_chip& chip, const memory& mem, const rare_end end) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  if (end.went.what != went_straight::there) keep_or_lose(c, m, end.self, end.held, end.went);
  if (end.status == abi::slot_alive) return end.stamp;
  return tell_end(c, m, end.self, end.status, end.reason, end.stamp);
}

/// Messages that came alone, in the hand of one lane, and those that join them.
struct few_run {
  few_in_hand few;
  u64 clock, now;
  u64* flight;  ///< lane 0's
  u32 worker;
  u32 done = 0;
  lone_message message;

  bool has_next() const { return done < few.messages; }
};

/// Runs the next one's handler, or counts it as a dead letter; then the next one is what the call has held, if it is that. The
/// note of the call under way stays. Lane 0. What is rare returns at once or comes last: else a GPU has too few registers for
/// where lanes meet again, and to bring one of those back takes as long as two reads.
/// @param first  its first word; run.done counts it already, and run.clock is past its stamp.
template <class Handle>
void run_lone(on_chip& c, const memory& m, few_run& run, word first, const known_receiver& known,
              Handle& handle) {
  lone_message& message = run.message;
  prefetch_near(known.slot + known.offset);
  actor_in_hand who;
  who.take(known);
  const lone_view view{
      {c[m.in] + message.at, &m, abi::words_of(first), &message.held, message.is_held}};
  if (!who.reaches(first)) [[unlikely]] {
    lose_lone<Handle>(c, m, first, handle_of<Handle>(known.entry, view));
    message.at = c[m.start][run.done];  // if it was held, it was the last one
    run.few = c.few;
    return;
  }
  lane_state call =
      begin_call(c, m, run.flight, first, known.entry.actor, who, run.clock, run.now, true);
  if constexpr (records_are_built) {
    note_message(c, m, call.self, call.asker, call.stamp,
                 message.is_held ? abi::stamp_to_wire(message.held.stamp)
                                 : abi::wire_stamp(c[m.in][message.at + 1]));
  }
  handle(abi::handler_of(first), who.slot + who.offset, view, call);
  give_buffer_of<Handle>(m, known.entry, view);
  const held_send held = call.held;
  // one lane would send all that it sends, one by one: by the ring, from where a turn of all lanes takes it
  const u32 to = waits(m, held.dst) ? held.dst : worker_behind(m, held.dst);
  if (held.words != 0 && to == run.worker && sends_many(handle, word{held.lo, 0})) close_few(c);
  run.few = c.few;
  const bool next = is_next(m, call.status, held, run.few, run.done, run.worker);
  went_straight went{went_straight::there};
  if (held.words != 0 && !next) {
    went = send_straight<held_words>(c, m, run.few, run.worker, held.dst, held.words,
                                     words_of_held(held, call.self));
    run.few = c.few;
  }
  const bool sent = held.words != 0 && went.what != went_straight::nowhere && held.dst != m.workers;
  count(c, abi::counter::sent, sent ? 1 : 0);  // a branch takes longer than to count none
  if constexpr (places_are_built) {
    if (sent) note_straight(c, m, held.dst, word{held.lo, call.own()});
  }
  who.header.handled = call.handled + 1;
  who.header.status = static_cast<u16>(call.status);
  who.put_down();
  message.is_held = next;
  message.sender = call.own();
  message.held = held;
  run.clock = call.stamp;
  if (next) ++run.few.messages;
  if (!next) message.at = c[m.start][run.done];  // behind the last one it says nothing
  if (went.what != went_straight::there || call.status != abi::slot_alive) [[unlikely]] {
    run.clock = end_rarely(c, m, {went, call.status, call.reason, call.self, call.stamp, held});
    run.few = c.few;
  }
}

}  // namespace perdure::loop
