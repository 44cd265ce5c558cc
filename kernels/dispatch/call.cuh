// kernels/dispatch/call.cuh - one message, one call of its handler.
// Why: however a message has come, its receiver is looked up, its handler runs, and what became of the actor is written
//      down, by the same code.
// Invariant: behind it the message was handled, or is a counted dead letter.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/assign.cuh"
#include "kernels/dispatch/lane_state.cuh"
#include "kernels/dispatch/record.cuh"

namespace perdure::loop {

/// A message as a handler's glue sees it: its words on chip, or what its sender has just held (lone.cuh).
struct message_view {
  static constexpr bool is_lone = false;
  const word* words;
  const memory* mem;
  u32 count;
  const held_send* held = nullptr;
  bool is_held = false;  ///< then there are no words; only of a lone_view

  /// Of a message over 240 bytes: what publish_buffer() or handle_of_host() gave.
  u64 handle() const {
    if (is_held) return held->payload.at[0] | static_cast<u64>(held->payload.at[1]) << 32U;
    return handle_in(words[1]);
  }
#if !defined(__CUDACC_RTC__)
  /// The payload of a message of up to 240 bytes. @param to  with abi::unpacked_room(count) bytes.
  void unpack(void* to) const {
    if (is_held) {
      __builtin_memcpy(to, held->payload.at, sizeof(held->payload.at));
    } else {
      abi::unpack_words(to, words, count);
    }
  }
#endif
};

struct lone_view : message_view {
  static constexpr bool is_lone = true;
};

/// Whether a program has messages of over 240 bytes, as far as it knows of itself: else its loop has no code for them.
template <class Handle>
constexpr bool large_messages_of() {
  if constexpr (requires { Handle::large_messages; }) {
    return Handle::large_messages;
  } else {
    return true;
  }
}
/// Of a message over 240 bytes the handle of its buffer, else 0.
template <class Handle>
u64 handle_of(const abi::handler_entry& entry, const message_view& message) {
  if constexpr (large_messages_of<Handle>()) {
    if (entry.bytes > abi::inline_payload) return message.handle();
  }
  return 0;
}
/// Gives back the buffer of a message that was handled, if it had one.
template <class Handle>
void give_buffer_of(const memory& m, const abi::handler_entry& entry, const message_view& message) {
  if constexpr (large_messages_of<Handle>()) {
    if (entry.bytes > abi::inline_payload) give_buffer(m, message.handle());
  }
}

/// Gives back the buffer of a message that nobody reads.
inline void drop_buffer(const message_view& message) {
  drop_buffer(*message.mem, message.handle());
}

/// Who handles a run of messages: looked up once, and its header written down once.
struct actor_in_hand {
  char* slot = nullptr;  ///< in memory or on chip; null if there is none
  u64 key = ~u64{0};     ///< its type above, its index below
  u32 offset = 0;        ///< of its state
  bool has_run = false;
  abi::actor_header header{0, abi::slot_empty, 0};

  /// @param of  as key. @param at  slot.
  void take(u64 of, const abi::type_row& row, char* at) {
    slot = at;
    key = of;
    offset = row.offset;
    has_run = false;
    if (slot == nullptr) {
      header = {0, abi::slot_empty, 0};
    } else {
      header = *reinterpret_cast<abi::actor_header*>(slot);
    }
  }
  /// @param of  what is known of it: there is a slot.
  void take(const known_receiver& of) {
    slot = of.slot;
    offset = static_cast<u32>(of.offset);
    u64 bits;  // one load, where the compiler makes one for each time that a part of it is asked for
    copy_bytes(&bits, __builtin_assume_aligned(slot, sizeof(bits)), sizeof(bits));
    bits = by_now(bits);
    copy_bytes(&header, &bits, sizeof(header));
  }
  /// Whether a message is for it, and it lives.
  bool reaches([[maybe_unused]] word first) const {
#ifdef PERDURE_BREAK_GENERATION  // deliberate break: tests must notice
    return header.status == abi::slot_alive;
#else
    return header.status == abi::slot_alive && header.generation == abi::receiver_generation(first);
#endif
  }
  /// Behind its messages. An empty slot stays as it is: the host may be making an actor there meanwhile.
  void put_down() const {
    if (has_run) *reinterpret_cast<abi::actor_header*>(slot) = header;
  }
};

/// A lane's note for the host: which call is under way, in case it never ends.
inline u64* flight_of(const on_chip& c, const memory& m, u32 lane) {
  return m.in_flight + static_cast<u64>(c.worker) * m.lanes + lane;
}

/// Tells the host that an actor's life has ended. @return the stamp of that, which is its last event.
inline u64 tell_end(on_chip& c, const memory& m, u64 self, u32 status, u32 reason, u64 stamp) {
  count(c, abi::counter::stopped);
  if (status == abi::slot_failed) count(c, abi::counter::failed);
  const u32 note[4] = {static_cast<u32>(self), static_cast<u32>(self >> 32U), status, reason};
  post_to_host(c, m, abi::host_kind::stopped, 0, self & abi::data_mask, ++stamp, note);
  return stamp;
}
/// What became of the actor in a call, into its header and to the host. @return the stamp of its last event.
inline u64 end_call(on_chip& c, const memory& m, lane_state& call, abi::actor_header& h) {
  call.place_held();
  h.handled = call.handled + 1;
  h.status = static_cast<u16>(call.status);
  if (call.status != abi::slot_alive) [[unlikely]] {
    call.stamp = tell_end(c, m, call.self, call.status, call.reason, call.stamp);
  }
  return call.stamp;
}

/// A call of a receiver that lives, and the note that it is under way. @param flight  of the lane. @param clock  before it.
inline lane_state begin_call(on_chip& c, const memory& m, u64* flight, word first, u32 type,
                             actor_in_hand& who, u64 clock, u64 now_ns, bool straight = false) {
  const u32 index = abi::receiver_index(first);
  const u64 self = abi::make_ref(index, abi::receiver_generation(first), type, m.system);
  who.has_run = true;
  store<order::relaxed, scope::system>(flight, (u64{abi::handler_of(first)} + 1) << 32U | index);
  return {&c,
          &m,
          self,
          abi::sender_of(first),
          clock + 1,
          now_ns,
          who.header.handled,
          0,
          abi::slot_alive,
          0,
          straight};
}

/// A message whose receiver is gone. @param first  its first word. @param handle  of its buffer, if it has one.
/// @tparam HasBuffers  it may have one.
template <bool HasBuffers>
void lose_call(on_chip& c, const memory& m, word first, u64 handle,
               const abi::handler_entry& entry) {
  if constexpr (HasBuffers) {
    if (entry.bytes > abi::inline_payload) drop_buffer(m, handle);
  }
  fetch_add<scope::block>(&c.dead_now, 1U);
  dead_letter(c, m, abi::dead_reason::stopped, abi::sender_of(first),
              abi::make_ref(abi::receiver_index(first), abi::receiver_generation(first),
                            entry.actor, m.system),
              abi::handler_of(first));
}

/// Runs one message's handler, or counts the message as a dead letter.
/// @param who     its receiver, if there is one.
/// @param clock   before it. @return the stamp of its last event.
/// @param handle  (u32 handler, void* state, const message_view&, lane_state&): the program's own code.
/// @tparam Staged  no other lane is at work: see stage.cuh.
template <bool Staged, class Handle>
u64 run_handler(on_chip& c, const memory& m, u32 lane, u32 at, word first,
                const abi::handler_entry& entry, actor_in_hand& who, u64 clock, u64 now_ns,
                Handle& handle) {
  const message_view message{c[m.in] + at, &m, abi::words_of(first)};
  if (!who.reaches(first)) {
    if constexpr (Staged) place_staged_alone(c, m);
    lose_call<large_messages_of<Handle>()>(c, m, first, handle_of<Handle>(entry, message), entry);
    return clock;
  }
  lane_state call = begin_call(c, m, flight_of(c, m, lane), first, entry.actor, who, clock, now_ns);
  note_message(c, m, call.self, call.asker, call.stamp, abi::wire_stamp(message.words[1]));
  if constexpr (Staged) {
    call.end_others_run();
    call.begin_staging(true);
  }
  handle(abi::handler_of(first), who.slot + who.offset, message, call);
  if constexpr (Staged) call.end_staging();
  const u64 stamp = end_call(c, m, call, who.header);
  give_buffer_of<Handle>(m, entry, message);
  return stamp;
}

/// Runs the handler of a message that shares its receiver's visit with no other. Lane 0.
template <class Handle>
u64 run_alone(on_chip& c, const memory& m, u32 at, u64 clock, u64 now_ns, Handle& handle) {
  const word first = c[m.in][at];
  const abi::handler_entry entry = c[m.handlers_here][abi::handler_of(first)];
  actor_in_hand who;
  who.take(0, c[m.types_here][entry.actor], slot_of(c, m, entry.actor, abi::receiver_index(first)));
  const u64 after = run_handler<false>(c, m, 0, at, first, entry, who, clock, now_ns, handle);
  store<order::relaxed, scope::system>(flight_of(c, m, 0), u64{0});
  who.put_down();
  return after;
}

}  // namespace perdure::loop
