// kernels/dispatch/device_lane.cuh - what stands behind perdure::context on the device.
// Why: the user's handler is inlined into the loop, and so is everything it calls here: no table, no copy.
// Invariant: sizes are compile-time constants, so that payloads stay in registers on their way to the outbox.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/carry.cuh"
#include "kernels/dispatch/lane_state.cuh"
#include "kernels/gen.cuh"

namespace perdure::detail {

using abi::u32;
using abi::u64;

/// What the call under way takes for a message to a host.
template <class M>
constexpr u32 letter_id() {
  static_assert(loop::long_letters_are_built || sizeof(M) <= abi::inline_payload,
                "perdure-gen has seen no message over 240 bytes to a host in this program");
  return abi::letter_of(message_id(gen::tag{}, static_cast<M*>(nullptr)), sizeof(M));
}

struct lane {
  loop::lane_state& call;
  u64 self;
  u64 sender;

  template <class A, class M>
  void send(u64 to, const M& m) {
    constexpr u32 id = handler_id(gen::tag{}, static_cast<A*>(nullptr), static_cast<M*>(nullptr));
    if constexpr (sizeof(M) <= abi::inline_payload) {
      loop::carry(
          *call.mem, m,
          [&](const auto& payload) { return call.template send<true>(to, id, payload); }, [] {});
    } else {
      call.one([&] {
        loop::carry(
            *call.mem, m,
            [&](const auto& payload) { return call.template send<true, false>(to, id, payload); },
            [&] { call.no_buffer(to, id); });
      });
    }
  }
  template <class A, class M, class Fill>
  void send_in_place(u64 to, Fill& fill) {
    constexpr u32 id = handler_id(gen::tag{}, static_cast<A*>(nullptr), static_cast<M*>(nullptr));
    fill_in_place<M>(
        fill, [&](const M& m) { send<A, M>(to, m); },
        [&](const auto& payload) { return call.template send<true, false>(to, id, payload); },
        [&] { call.no_buffer(to, id); });
  }
  template <class M, class Fill>
  void send_host_in_place(u64 to, Fill& fill) {
    constexpr u32 letter = letter_id<M>();
    fill_in_place<M>(
        fill, [&](const M& m) { send_host<M>(to, m); },
        [&](const auto& payload) { return call.template send_host<true>(to, letter, payload); },
        [&] { call.no_buffer_to_host(false); });
  }
  template <class M, class Fill>
  void reply_in_place(Fill& fill) {
    constexpr u32 letter = letter_id<M>();
    fill_in_place<M>(
        fill, [&](const M& m) { reply<M>(m); },
        [&](const auto& payload) { return call.template reply<true>(letter, payload); },
        [&] { call.no_buffer_to_host(true); });
  }
  /// make(0) .. make(n - 1): where lanes do the same, each makes and places its own.
  template <class A, class M, class Make>
  void send_n(u64 to, u32 n, Make& make) {
    u32 done = 0;
    if constexpr (loop::hot_is_built && abi::words_for(sizeof(M)) <= loop::unit_words) {
      constexpr u32 id = handler_id(gen::tag{}, static_cast<A*>(nullptr), static_cast<M*>(nullptr));
      if (call.stages && call.alike) {
        done = call.place_beside(to, id, abi::words_for(sizeof(M)), n, [&](u32 i) {
          const M m = make(i);
          loop::payload_sent<abi::words_for(sizeof(M)), sizeof(M)> payload{};
          loop::copy_bytes(payload.pieces.at, &m, sizeof(M));
          return payload;
        });
      }
    }
    PERDURE_ROLLED
    for (; done < n; ++done) send<A, M>(to, make(done));
  }
  template <class M>
  void send_host(u64 to, const M& m) {
    constexpr u32 letter = letter_id<M>();
    call.one([&] {
      loop::carry(
          *call.mem, m,
          [&](const auto& payload) { return call.template send_host<true>(to, letter, payload); },
          [&] { call.no_buffer_to_host(false); });
    });
  }
  template <class M>
  void reply(const M& m) {
    constexpr u32 letter = letter_id<M>();
    call.one([&] {
      loop::carry(
          *call.mem, m,
          [&](const auto& payload) { return call.template reply<true>(letter, payload); },
          [&] { call.no_buffer_to_host(true); });
    });
  }
  template <class A, class M>
  void after(u64 delay_ns, u64 to, const M& m) {
    static_assert(loop::timers_are_built && sizeof(M) != 0,
                  "perdure-gen has seen no after() in this program");
    constexpr u32 id = handler_id(gen::tag{}, static_cast<A*>(nullptr), static_cast<M*>(nullptr));
    call.one([&] {
      loop::carry(
          *call.mem, m, [&](const auto& payload) { return call.after(delay_ns, to, id, payload); },
          [&] { call.no_buffer(to, id); });
    });
  }
  u64 now() { return call.now(); }
  u64 random() { return call.random(); }
  void log(u64 format_key, u32 count, u64 kinds, const u64* values) {
    call.one([&] { call.log(format_key, count, kinds, values); });
  }
  void stop() { call.stop(); }
  void fail(u32 reason) { call.fail(reason); }

 private:
  /// @param send_short  (message), of up to 240 bytes. @param send,lost  as of carry_in_place().
  template <class M, class Fill, class Short, class Send, class Lost>
  void fill_in_place(Fill& fill, Short send_short, Send send, Lost lost) {
    if constexpr (sizeof(M) <= abi::inline_payload) {
      M message{};
      fill(message);
      send_short(message);
    } else {
      call.one([&] { loop::carry_in_place<M>(*call.mem, fill, send, lost); });
    }
  }
};

/// Whether the reference names an actor of type A.
template <class A>
bool names(u64 bits) {
  return bits != 0 && abi::ref_type(bits) == actor_id(gen::tag{}, static_cast<A*>(nullptr));
}

}  // namespace perdure::detail
