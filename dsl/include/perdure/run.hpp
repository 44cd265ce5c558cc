// dsl/include/perdure/run.hpp - messages in a row for one small actor, handled together by lanes side by side.
// Why: little of what a handler does waits for the message before; the rest is done for up to 32 messages at once, so that
//      an actor that gets most of the messages is not held up by one lane's speed (docs/adr/065).
// Invariant: all lanes run the body of on_run() alike, with the same values; what is handed to each(), which(), write() and
//            the like is run by each lane for its own message, and calls nothing of the run but size() and sender(), of a
//            per_message but [].
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "perdure/context.hpp"

#ifndef PERDURE_DEVICE_LANE  // the device loop defines perdure::detail::run_lanes, run_value and run_calls itself
#include "perdure/detail/run_lanes.hpp"
#endif

namespace perdure {

/// A value for each message of a run: a GPU's lanes have one each, elsewhere it is an array.
template <class T>
class per_message {
 public:
  static_assert(std::is_trivially_copyable_v<T>, "perdure: per_message must be trivially copyable");
  /// In what is handed to a function of the run: of the message in hand. @param i  its number.
  T& operator[](std::uint32_t i) { return values_.own(i); }
  const T& operator[](std::uint32_t i) const { return values_.own(i); }
  /// In the body: of message `i`, below 32, the same for all.
  T of(std::uint32_t i) const { return values_.of(i); }
  /// In the body: message `i` has this value.
  void put(std::uint32_t i, const T& value) { values_.put(i, value); }

 private:
  template <class M>
  friend class run;
  detail::run_value<T> values_;
};

/// 1 to 32 messages of type M, in the order in which on(const M&, perdure::context&) would get them. A small actor that
/// has such a handler may have, too,
///
///     std::uint32_t on_run(const perdure::run<M>&);
///
/// which handles the first n messages as on() would have, one after another, and returns n, at most size(). What it does
/// not know how to handle it leaves: it returns before that, and on() handles the next one; with 0 it has changed nothing.
/// It sends in in_order() or by send() alone, and neither stops nor fails. A GPU calls it where eight or more messages for
/// one actor wait, with 32 lanes; a CPU does not, nor a GPU where few wait, so nothing else may depend on it. Messages have up to
/// 240 bytes. A type that says it is `hot` and has at most 64 bytes has its stream of messages of up to 38 bytes handled so, too
/// (docs/adr/071); larger ones are mostly handled as hot. For example, of a sum:
///
///     void on(const coin& c, perdure::context&) { sum += c.worth; }
///     std::uint32_t on_run(const perdure::run<coin>& run) {
///       const auto worth = run.each([](std::uint32_t, const coin& c) { return std::uint64_t{c.worth}; });
///       const std::uint64_t all = run.sum(worth);
///       run.once([&] { sum += all; });
///       return run.size();
///     }
///
/// What wants lanes to meet (of(), put(), and all functions of the run) must be called by all of them, so never in what is
/// handed to one of these: a GPU would hang there, and a CPU would not. perdure-gen refuses that, and, where it stands
/// plainly in the text, locals of the body that are written there, a lane's own value (`[]`) in the body or in once(), and
/// members of the actor that are written elsewhere than in write() and once(). It does not see writes by way of references,
/// pointers and other objects, another index than the message's, nor that all messages write to one member in write(). A
/// test calls it by of(), below, beside on().
template <class M>
class run {
 public:
  static_assert(std::is_trivially_copyable_v<M>, "perdure: a message must be trivially copyable");
  /// For who calls on_run(): the loop, and tests of it, with `detail::run_calls calls{lane}` of a lane that keeps what is
  /// sent. @param size  1 to 32. @param first  of so many messages, which outlive this; on a GPU each lane's own.
  /// @param calls  what in_order() sends by.
  static run of(std::uint32_t size, const M* first, detail::run_calls& calls) {
    return run{size, first, calls};
  }

  std::uint32_t size() const { return size_; }
  /// In what is handed to a function of the run: who sent message i, the one in hand; null for a host, as context::sender().
  any_ref sender(std::uint32_t i) const { return any_ref{calls_.sender(i)}; }

  /// f(i, message) or f(i) for each message, side by side. @return what they give; T{} behind the last one.
  template <class F>
  auto each(F&& f) const {
    using T = std::remove_cvref_t<decltype(call(f, 0U))>;
    per_message<T> out;
    lanes::each([&](std::uint32_t i) {
      if (i < size_) out[i] = call(f, i);
    });
    return out;
  }
  /// f(k) for k < n, up to 32, likewise: for what are no messages.
  template <class F>
  auto each_of(std::uint32_t n, F&& f) const {
    per_message<std::remove_cvref_t<decltype(f(0U))>> out;
    lanes::each([&](std::uint32_t k) {
      if (k < n) out[k] = f(k);
    });
    return out;
  }
  /// Bit i: whether f(i, message) or f(i) holds of message i. The same for all.
  template <class F>
  std::uint32_t which(F&& f) const {
    return lanes::which(
        [&](std::uint32_t i) { return i < size_ && static_cast<bool>(call(f, i)); });
  }
  /// Bit k: whether f(k) holds, for k < n, up to 32: for what are no messages. The same for all.
  template <class F>
  std::uint32_t which_of(std::uint32_t n, F&& f) const {
    return lanes::which([&](std::uint32_t k) { return k < n && static_cast<bool>(f(k)); });
  }
  /// At place i, for each i < 32, the value of message from(i), which is below 32.
  template <class T, class F>
  per_message<T> gather(const per_message<T>& values, F&& from) const {
    per_message<T> out;
    lanes::gather(out.values_, values.values_, from);
    return out;
  }
  /// For each message the sum of the values of those before it: integers, as the order of sums is not said.
  template <class T>
  per_message<T> sum_before(const per_message<T>& values) const {
    static_assert(std::is_integral_v<T>, "perdure: a sum over a run is of integers");
    per_message<T> out;
    lanes::sum_below(out.values_, values.values_);
    return out;
  }
  /// f(i, message) or f(i) for each message, side by side: may write to the actor, each what no other one writes. What was
  /// read before is read before any of it is written, and what is read behind it is read when all is written.
  template <class F>
  void write(F&& f) const {
    lanes::meet();
    lanes::each([&](std::uint32_t i) {
      if (i < size_) call(f, i);
    });
    lanes::meet();
  }
  /// f(k) for k < n, up to 32: as write(), for what are no messages.
  template <class F>
  void write_of(std::uint32_t n, F&& f) const {
    lanes::meet();
    lanes::each([&](std::uint32_t k) {
      if (k < n) f(k);
    });
    lanes::meet();
  }
  /// One lane runs f(), which may write to the actor; as write().
  template <class F>
  void once(F&& f) const {
    lanes::meet();
    if (lanes::leads()) f();
    lanes::meet();
  }
  /// The sum over all messages: of integers.
  template <class T>
  T sum(const per_message<T>& values) const {
    static_assert(std::is_integral_v<T>, "perdure: a sum over a run is of integers");
    return lanes::template sum<T>([&](std::uint32_t i) { return i < size_ ? values[i] : T{}; });
  }
  /// f(i, ctx) for each message whose bit is set, one after another by rising i, with the context that on() would have: may
  /// send, reply, log and ask for the time. At most once a call of on_run(), for messages below what it returns.
  template <class F>
  void in_order(std::uint32_t bits, F&& f) const {
    for (; bits != 0; bits &= bits - 1) {
      const auto i = static_cast<std::uint32_t>(__builtin_ctz(bits));
      calls_.call(i, [&](context& ctx) { f(i, ctx); });
    }
  }
  /// Each message whose bit is set sends its note to `to`, as ctx.send() in in_order() would, and in that order; to a host, and
  /// of a hot actor's stream to actors, side by side. In place of in_order(): one of the two, at most once a call of on_run(), for messages below what it
  /// returns.
  template <class A, class N>
  void send(std::uint32_t bits, ref<A> to, const per_message<N>& notes) const {
    if constexpr (detail::is_host<A>) {
      static_assert(detail::host_takes<A, N>,
                    "perdure: the host mailbox does not take this message");
      if (calls_.send_host(bits, to.bits, notes.values_)) return;
    } else {
      return send(bits, each([&](std::uint32_t) { return to; }), notes);
    }
    in_order(bits, [&](std::uint32_t i, context& ctx) { ctx.send(to, notes[i]); });
  }
  /// The same, each to a receiver of its own; a note of up to 38 bytes side by side.
  template <class A, class N>
  void send(std::uint32_t bits, const per_message<ref<A>>& to, const per_message<N>& notes) const {
    static_assert(detail::handles<A, N>,
                  "perdure: the receiving actor has no handler for this message");
    if (calls_.template send<A>(bits, to.values_, notes.values_)) return;
    in_order(bits, [&](std::uint32_t i, context& ctx) { ctx.send(to[i], notes[i]); });
  }

 private:
  using lanes = detail::run_lanes;
  run(std::uint32_t size, const M* first, detail::run_calls& calls)
      : size_{size}, first_{first}, calls_{calls} {}
  template <class F>
  decltype(auto) call(F& f, std::uint32_t i) const {
    if constexpr (std::is_invocable_v<F&, std::uint32_t, const M&>) {
      return f(i, first_[lanes::have_own ? 0 : i]);
    } else {
      return f(i);
    }
  }

  std::uint32_t size_;
  const M* first_;
  detail::run_calls& calls_;
};

}  // namespace perdure
