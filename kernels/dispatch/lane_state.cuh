// kernels/dispatch/lane_state.cuh - one handler call under way, on any backend.
// Why: send, reply, after, now, random, stop and fail mean the same on device and host because they are this code.
// Invariant: nothing here waits; the stamps of a call only rise; one lane uses it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/clock/hybrid.cuh"
#include "kernels/dispatch/buffers.cuh"
#include "kernels/dispatch/outbox.cuh"

namespace perdure::loop {

/// A message's words are written by `put(place, lo, sender, stamp, words)`: up to 240 bytes the payload itself,
/// above that the handle of a buffer that already holds it. Messages that were placed are counted as sent by
/// reserve(), those that could not be placed at once.
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

  u64 sender() const {
    if (asker == 0 || abi::ref_type(asker) == abi::ask_type) return 0;
    return asker | static_cast<u64>(mem->system) << 56U;
  }
  u64 own() const { return self & abi::data_mask; }

  /// To an actor. @return false if the outbox is spent: the caller keeps its buffer, the message is a dead letter.
  template <class Put>
  bool send(u64 to, u32 handler, u32 bytes, Put put) {
    ++stamp;
    if (to == 0 || abi::ref_system(to) != mem->system) {
      count(*chip, abi::counter::sent);
      dead_letter(*chip, to == 0 ? abi::dead_reason::null_ref : abi::dead_reason::foreign, own(),
                  to, handler);
      return false;
    }
    const u32 words = abi::words_for(bytes);
    word* place = place_message(*chip, worker_of(*mem, abi::ref_index(to)), words);
    if (place == nullptr) {
      exhausted(to, handler);
      return false;
    }
    put(place, abi::envelope_lo(abi::ref_index(to), abi::ref_generation(to), handler, words), own(),
        stamp, words);
    return true;
  }
  void exhausted(u64 to, u32 handler) {
    count(*chip, abi::counter::sent);
    const u64 pair = 1ULL << 16U | abi::ref_type(self) << 8U | abi::ref_type(to);
    store<order::relaxed, scope::block>(
        &chip->count[static_cast<u32>(abi::counter::exhausted_pair)], pair);
    dead_letter(*chip, abi::dead_reason::exhausted, own(), to, handler);
  }

  /// To a host mailbox; the message id travels where an actor's generation would.
  template <class Put>
  void send_host(u64 to, u32 message, u32 bytes, Put put) {
    ++stamp;
    count(*chip, abi::counter::to_host);
    if (to == 0 || abi::ref_system(to) != mem->system || abi::ref_type(to) != abi::mailbox_type) {
      // counted as sent too: it is lost like a message to an actor
      count(*chip, abi::counter::sent);
      return dead_letter(*chip, to == 0 ? abi::dead_reason::null_ref : abi::dead_reason::foreign,
                         own(), to, 0);
    }
    post(abi::host_kind::mailbox, abi::ref_index(to), message, bytes, put);
  }

  template <class Put>
  void reply(u32 message, u32 bytes, Put put) {
    ++stamp;
    if (abi::ref_type(asker) != abi::ask_type || asker == 0)
      return count(*chip, abi::counter::unasked);
    count(*chip, abi::counter::replies);
    post(abi::host_kind::reply, abi::ref_index(asker), message, bytes, put);
  }

  template <class Put>
  void post(abi::host_kind kind, u32 index, u32 message, u32 bytes, Put put) {
    const u32 words = abi::words_for(bytes);
    word* place = place_message(*chip, mem->workers, words);
    if (place == nullptr) {  // counted as sent, so that the loss shows in the books
      count(*chip, abi::counter::sent);
      return count_dead(*chip, abi::dead_reason::exhausted);
    }
    put(place, abi::envelope_lo(index, message, static_cast<u32>(kind), words), own(), stamp,
        words);
  }

  /// Keeps the message until its time; it is sent, stamped and counted then.
  template <class Put>
  bool after(u64 delay_ns, u64 to, u32 handler, u32 bytes, Put put) {
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
    const u32 words = abi::words_for(bytes);
    put(t.data, abi::envelope_lo(abi::ref_index(to), abi::ref_generation(to), handler, words),
        own(), stamp, words);
    fetch_min<scope::block>(&chip->timer_due, due);
    return true;
  }

  u64 now() { return ++stamp; }

  /// A counter-based generator: two rounds of a 64-bit finaliser over seed, actor, message and draw.
  /// @source  Steele, Lea, Flood: SplitMix64, 2014; constants after Stafford's mix 13.
  u64 random() {
    u64 x = mix(mem->seed + own() * 0x9e3779b97f4a7c15ULL);
    x = mix(x ^ (static_cast<u64>(handled) << 32U | draws++));
    return mix(x + mem->seed);
  }
  static u64 mix(u64 x) {
    x = (x ^ x >> 30U) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ x >> 27U) * 0x94d049bb133111ebULL;
    return x ^ x >> 31U;
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
