// kernels/dispatch/lone.cuh - one message that came alone, and what its handler sends to the worker that it is on.
// Why: actors that wait for each other have one message under way. Packed into words, entered, read and unpacked it would
//      take longer than its handler; so one that a call holds at its end stays where it is held, in registers on a GPU, and
//      is the next message.
// Invariant: only where it would be the next one anyway: it could join those in hand (few.cuh), and none of them is left.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/call.cuh"

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

/// What is known of a receiver. In place of five trips to what is on chip, one after another, there is one: who gets a
/// message that came alone often gets the next one.
inline known_receiver look_up(on_chip& c, const memory& m, word first) {
  known_receiver& place = known_place(c, first);
  known_receiver known = place;  // all of it, before it is asked for its name
  if (known.lo == first.lo) [[likely]]
    return known;
  const abi::handler_entry entry = c[m.handlers_here][abi::handler_of(first)];
  char* slot = slot_of(c, m, entry.actor, abi::receiver_index(first));
  if (slot == nullptr) slot = reinterpret_cast<char*>(&c.nobody);
  return place = {first.lo, slot, entry, c[m.types_here][entry.actor].offset};
}

/// Takes what the call holds as the next message, if it is that. @param few  those in hand, as the call has left them.
/// @param done  of them, with this call's.
inline bool take_held(on_chip& c, const memory& m, lane_state& call, lone_message& message,
                      few_in_hand& few, u32 done, u32 worker) {
  if (has_wide(m)) return false;
  const u32 none = few.room == 0 || call.held.words == 0
                       ? 1
                       : 0;  // asked in one: a branch takes half as long as a read
  if ((none | (call.held.dst ^ worker) | (few.messages ^ done) | (call.status ^ abi::slot_alive)) !=
      0)
    return false;
  message.is_held = true;
  message.sender = call.own();
  message.held = call.held;
  call.held.words = 0;
  ++few.messages;
  count(c, abi::counter::sent);
  if constexpr (places_are_built) note_straight(c, m, worker, word{call.held.lo, 0});
  return true;
}

/// As lane_state::place_held(), here and not by a call: whoever waits for an answer waits for this.
inline void place_held(on_chip& c, const memory& m, lane_state& call, const few_in_hand& few,
                       u32 worker) {
  const held_send& held = call.held;
  if (held.words == 0) return;
  const auto at = words_of_held(held, call.self);
  if (!emit_straight<held_words>(c, m, few, worker, held.dst, held.words, at))
    lose_held(c, m, call.self, held.dst, held.lo, held.payload.at[0]);
  call.held.words = 0;
}

/// Runs its handler, or counts it as a dead letter; then it is the next one, if the call has held that. The note of the
/// call under way stays. Lane 0.
/// @param first  its first word. @param clock  before it. @param few  those in hand; then with what has joined.
/// @param done  of them, with this one. @param worker  on_chip::worker. @param flight  lane 0's. @return the stamp of its last event.
template <class Handle>
u64 run_lone(on_chip& c, const memory& m, lone_message& message, word first, u64 clock, u64 now_ns,
             Handle& handle, few_in_hand& few, u32 done, u32 worker, u64* flight) {
  const known_receiver known = look_up(c, m, first);
  actor_in_hand who;
  who.take(known);
  const lone_view view{
      {c[m.in] + message.at, &m, abi::words_of(first), &message.held, message.is_held}};
  if (!who.reaches(first)) {
    lose_call<Handle>(c, m, first, view, known.entry);
    message.is_held = false;
    few = c.few;
    return clock;
  }
  lane_state call = begin_call(c, m, flight, first, known.entry.actor, who, clock, now_ns, true);
  handle(abi::handler_of(first), who.slot + who.offset, view, call);
  give_buffer_of<Handle>(m, known.entry, view);
  message.is_held = false;
  few = c.few;
  if (take_held(c, m, call, message, few, done, worker)) {
    who.header.handled = call.handled + 1;
  } else {
    place_held(c, m, call, few, worker);
    end_call(c, m, call, who.header);
    few = c.few;
  }
  who.put_down();
  return call.stamp;
}

}  // namespace perdure::loop
