// dsl/include/perdure/context.hpp - what a small actor's handler may do besides changing its own state.
// Why: one class serves every backend; the lane behind it is chosen before this file is read.
// Invariant: nothing here waits, and nothing here fails in the handler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <type_traits>

#include "perdure/detail/keys.hpp"
#include "perdure/hlc.hpp"
#include "perdure/ref.hpp"

#ifndef PERDURE_DEVICE_LANE  // the device loop defines perdure::detail::lane itself, before this file
#include "perdure/detail/lane.hpp"
#endif

namespace perdure {

class context;
class block_context;

namespace detail {

template <class A, class M>
concept handles = requires { static_cast<void (A::*)(const M&, context&)>(&A::on); } || requires {
  static_cast<void (A::*)(const M&, context&) const>(&A::on);
} || requires { static_cast<void (A::*)(const M&, block_context&) const>(&A::on); };

template <class Host, class M>
inline constexpr bool host_takes = false;
template <class... Ms, class M>
inline constexpr bool host_takes<host<Ms...>, M> = (std::is_same_v<Ms, M> || ...);

template <class A>
inline constexpr bool is_host = false;
template <class... Ms>
inline constexpr bool is_host<host<Ms...>> = true;

/// Log values travel as 64 bits and a 4-bit kind: 1 signed, 2 unsigned, 3 floating point, 4 bool, 5 ref.
template <class S>
constexpr std::uint64_t log_kind() {
  if constexpr (std::is_same_v<S, bool>) {
    return 4;
  } else if constexpr (std::is_floating_point_v<S>) {
    return 3;
  } else if constexpr (std::is_enum_v<S>) {
    return log_kind<std::underlying_type_t<S>>();
  } else if constexpr (std::is_integral_v<S>) {
    return std::is_signed_v<S> ? 1 : 2;
  } else {
    return 5;
  }
}
template <class S>
constexpr std::uint64_t log_bits(const S& value) {
  static_assert(log_kind<S>() != 5 || sizeof(S) == 8, "perdure: log takes scalars and references");
  if constexpr (std::is_floating_point_v<S>) {
    return __builtin_bit_cast(std::uint64_t, static_cast<double>(value));
  } else if constexpr (std::is_integral_v<S> || std::is_enum_v<S>) {
    return static_cast<std::uint64_t>(value);
  } else {
    return value.bits;
  }
}

}  // namespace detail

/// Handed to every handler call of a small actor; valid until the handler returns; one thread.
class context {
 public:
  static constexpr int max_log_values = 12;

  explicit context(detail::lane& lane) : lane_{lane} {}
  context(const context&) = delete;
  context& operator=(const context&) = delete;

  /// The actor that runs. @param me  `*this` of the handler, for its type only.
  template <class A>
  ref<A> self(const A& /*me*/) const {
    return ref<A>{lane_.self};
  }

  /// Who sent the message in hand: an actor, or null for a host.
  any_ref sender() const { return any_ref{lane_.sender}; }

  /// Sends a copy of `m`. What cannot be delivered is a counted dead letter.
  /// Messages of one sender to one receiver are handled in the order sent.
  template <class A, class M>
  void send(ref<A> to, const M& m) {
    static_assert(std::is_trivially_copyable_v<M>, "perdure: a message must be trivially copyable");
    if constexpr (detail::is_host<A>) {
      static_assert(detail::host_takes<A, M>,
                    "perdure: the host mailbox does not take this message");
      lane_.template send_host<M>(to.bits, m);
    } else {
      static_assert(detail::handles<A, M>,
                    "perdure: the receiving actor has no handler for this message");
      lane_.template send<A, M>(to.bits, m);
    }
  }

  /// Sends make(0), make(1), .. make(n - 1), as send() in a loop would, and in that order. Of a type that says it is `hot` and
  /// has at most 64 bytes a GPU makes messages of up to 38 bytes by 32 lanes side by side, where a loop has one (docs/adr/071).
  /// @param make  a lambda written in the call: a message from its number and what was there before. It changes nothing and asks
  ///              nothing of the context but self() and sender(): it may be called in any order, and is once for each number.
  ///              perdure-gen refuses what it sees of that, so no writes by way of references and pointers.
  template <class A, class Make,
            class M = std::remove_cvref_t<decltype(std::declval<Make&>()(std::uint32_t{}))>>
  void send_n(ref<A> to, std::uint32_t n, Make&& make) {
    static_assert(std::is_trivially_copyable_v<M>, "perdure: a message must be trivially copyable");
    if constexpr (detail::is_host<A>) {
      for (std::uint32_t i = 0; i < n; ++i) send(to, make(i));
    } else {
      static_assert(detail::handles<A, M>,
                    "perdure: the receiving actor has no handler for this message");
      lane_.template send_n<A, M>(to.bits, n, make);
    }
  }

  /// Sends a message that fill(M&) makes where it will lie: `ctx.send_in_place<image>(to, [&](image& m) { .. })`. For messages
  /// over 240 bytes, to actors and hosts: what send() is given lies in the handler first, on a GPU in each thread's memory, and is copied.
  /// @param fill  a lambda written in the call. It writes all of the message, which may hold anything before, and changes
  ///              nothing else; of the context it asks self() and sender(). It is not called where no buffer is left (the
  ///              message is a dead letter `exhausted`). perdure-gen refuses what it sees of that, so no writes by way of
  ///              references and pointers.
  template <class M, class A, class Fill>
  void send_in_place(ref<A> to, Fill&& fill) {
    static_assert(std::is_trivially_copyable_v<M>, "perdure: a message must be trivially copyable");
    if constexpr (detail::is_host<A>) {
      static_assert(detail::host_takes<A, M>,
                    "perdure: the host mailbox does not take this message");
      lane_.template send_host_in_place<M>(to.bits, fill);
    } else {
      static_assert(detail::handles<A, M>,
                    "perdure: the receiving actor has no handler for this message");
      lane_.template send_in_place<A, M>(to.bits, fill);
    }
  }

  /// Answers the request in hand: the host's `ask`. Where nobody asked, nothing is sent and
  /// `stats::unasked` counts it. The first reply counts; a second one to the same ask is late.
  template <class M>
  void reply(const M& m) {
    static_assert(std::is_trivially_copyable_v<M>, "perdure: a reply must be trivially copyable");
    lane_.template reply<M>(m);
  }
  /// The same with an answer that fill(M&) makes where it will lie: `ctx.reply_in_place<image>([&](image& m) { .. })`. What fill
  /// may do: see send_in_place(); where there is no buffer the ask ends by its timeout.
  template <class M, class Fill>
  void reply_in_place(Fill&& fill) {
    static_assert(std::is_trivially_copyable_v<M>, "perdure: a reply must be trivially copyable");
    lane_.template reply_in_place<M>(fill);
  }

  /// Sends `m` no earlier than `delay` from now; it takes its place in the order when it is due. To actors only. When its
  /// worker has options.timer_slots of them pending, `m` is a dead letter `exhausted`.
  template <class Rep, class Period, class A, class M>
  void after(std::chrono::duration<Rep, Period> delay, ref<A> to, const M& m) {
    static_assert(detail::handles<A, M>,
                  "perdure: the receiving actor has no handler for this message");
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(delay).count();
    lane_.template after<A, M>(ns > 0 ? static_cast<std::uint64_t>(ns) : 0, to.bits, m);
  }

  /// Hybrid logical time; each call is an event of its own, later than all before it.
  hlc now() { return hlc{lane_.now()}; }

  /// 64 random bits, keyed by seed, actor, messages handled so far and draw: the same on every backend.
  std::uint64_t random() { return lane_.random(); }

  /// Puts scalars into the trace: `ctx.log("x={}", x)`. The host gets the line by options::on_log; without it nobody does.
  template <class... S>
  void log(log_format format, const S&... values) {
    static_assert(sizeof...(S) <= max_log_values, "perdure: log takes at most 12 values");
    const std::uint64_t packed[sizeof...(S) + 1] = {detail::log_bits(values)..., 0};
    std::uint64_t kinds = 0;
    int shift = 0;
    ((kinds |= detail::log_kind<S>() << shift, shift += 4), ...);
    lane_.log(format.key, static_cast<std::uint32_t>(sizeof...(S)), kinds, packed);
  }

  /// The actor takes no further message once the handler returns; what comes later is a dead letter.
  void stop() { lane_.stop(); }

  /// As stop(), and counted as a failure with this reason. Sends made before stand.
  void fail(std::uint32_t reason) { lane_.fail(reason); }

 private:
  detail::lane& lane_;
};

/// The typed reference, or null if `r` names an actor of another type.
template <class A>
ref<A> ref_cast(any_ref r) {
  return detail::names<A>(r.bits) ? ref<A>{r.bits} : ref<A>{};
}

}  // namespace perdure
