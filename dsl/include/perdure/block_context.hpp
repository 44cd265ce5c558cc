// dsl/include/perdure/block_context.hpp - what a wide actor's handler may do.
// Why: outside a region the body is uniform, inside each lane works on its own indices; one class serves every backend.
// Invariant: a region begins and ends with a block barrier; regions do not nest; nothing here waits for another actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <type_traits>

#include "perdure/context.hpp"

#ifndef PERDURE_DEVICE_LANE  // the device loop defines perdure::detail::block_lane itself
#include "perdure/detail/block_lane.hpp"
#endif

namespace perdure {

/// Whether lanes are threads with registers of their own, as on a GPU; elsewhere a region is a loop, and what a lane keeps
/// lies in memory, where a copy of the state only costs. For speed: results must not depend on it.
constexpr bool lanes_are_threads() {
#if defined(__CUDACC_RTC__) || defined(PERDURE_LANES_ARE_THREADS)  // tests say so
  return true;
#else
  return false;
#endif
}

/// The same pointer, of which the compiler does not know where it came from: what is read through others before it is written
/// through is read before, and not only where it is used. For lanes that go through a large array and ask for what is ahead:
/// where the compiler sees that reads and writes never meet, it asks late and saves registers, and the lane waits for memory.
/// @return what it was given; results do not depend on it.
template <class T>
constexpr T* by_itself(T* pointer) {
#if defined(__CUDACC_RTC__)
  if (!__builtin_is_constant_evaluated()) asm volatile("" : "+l"(pointer));
#endif
  return pointer;
}

/// A message under way into a link: filled inside regions, sent by ctx.commit(). Valid until then. What it holds before it
/// is filled is anything.
template <class M>
class outgoing {
 public:
  outgoing(M* at, unsigned port, bool linked) : at_{at}, port_{port}, linked_{linked} {}
  M* operator->() const { return at_; }
  M& operator*() const { return *at_; }
  /// Whether the first commit() will send it: the port is linked, and the link has room (in a joined handler it always has).
  explicit operator bool() const { return linked_; }
  unsigned port() const { return port_; }

 private:
  M* at_;
  unsigned port_;
  bool linked_;
};

/// Handed to every handler call of a wide actor; valid until the handler returns. Every lane runs the body with the
/// same values; what is called outside a region acts once.
class block_context {
 public:
  explicit block_context(detail::block_lane& lane) : lane_{lane} {}
  block_context(const block_context&) = delete;
  block_context& operator=(const block_context&) = delete;

  /// The actor that runs. @param me  `*this` of the handler, for its type only.
  template <class A>
  ref<A> self(const A& /*me*/) const {
    return ref<A>{lane_.self_bits()};
  }
  any_ref sender() const { return any_ref{lane_.sender_bits()}; }

  /// Runs `f` for each index of the extents, the lanes side by side: f(me, i, k), f(me, x, y, k) or f(me, x, y, z, k),
  /// x fastest; `me` is the actor to write to, k = linear index / lanes, a constant once unrolled; indices are taken as
  /// int or as std::size_t. Inside, `send`, `random`, `fail` and `stop` act per index.
  template <int NX, int NY = 0, int NZ = 0, class A, class F>
  void for_each(const A& me, F&& f) {
    static_assert(NX > 0 && NY >= 0 && NZ >= 0, "perdure: extents are at least 1");
    lane_.template for_each<NX, NY, NZ>(const_cast<A&>(me), f);
  }
  /// As for_each, right behind another region or at the beginning of the handler, without the barrier that keeps a region's
  /// writes from what the body has read before: since that region, or since it began, the handler must have read nothing
  /// that f writes.
  template <int NX, int NY = 0, int NZ = 0, class A, class F>
  void then_each(const A& me, F&& f) {
    static_assert(NX > 0 && NY >= 0 && NZ >= 0, "perdure: extents are at least 1");
    lane_.template then_each<NX, NY, NZ>(const_cast<A&>(me), f);
  }
  /// One lane runs f(me).
  template <class A, class F>
  void once(const A& me, F&& f) {
    lane_.once(const_cast<A&>(me), f);
  }
  /// As once, right behind another region, without barriers: nobody reads what f writes, all of it the actor's, before the
  /// next region has ended or the next handler begins; and f sends nothing, and neither fails nor stops.
  template <class A, class F>
  void then_once(const A& me, F&& f) {
    lane_.then_once(const_cast<A&>(me), f);
  }
  /// Every lane gets the value: value(me, i) of i = 0..N-1, put together by `join` in an order that is the same
  /// everywhere: each lane its own indices i = lane + k * lanes by rising k, then lanes l and l + w of each group of 32
  /// for w = 16, 8, 4, 2, 1, then the groups alike. `none` is neutral: join(none, x) == x.
  template <int N, class A, class T, class Value, class Join>
  T reduce(const A& me, const T& none, Value&& value, Join&& join) {
    static_assert(N > 0, "perdure: extents are at least 1");
    static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 64,
                  "perdure: a reduced value is trivially copyable and has at most 64 bytes");
    return lane_.template reduce<N>(me, none, value, join);
  }

  /// Begins a message out of a port; at most once a port and call. Never waits, never fails.
  template <class M, class Port>
  outgoing<M> open(Port at) {
    static_assert(std::is_trivially_copyable_v<M>, "perdure: a message must be trivially copyable");
    static_assert(std::is_enum_v<Port>, "perdure: a port is an enumerator of the actor's `port`");
    const auto port = static_cast<unsigned>(at);
    bool linked = false;
    M* const place = lane_.template open<M>(port, linked);
    return outgoing<M>{place, port, linked};
  }
  /// Sends it; from then on it may be its receiver's, and writing to it is an error that nobody finds. Where nothing is
  /// linked, nothing is sent; where an ordinary handler finds no room, it is a dead letter.
  template <class M>
  void commit(const outgoing<M>& out) {
    lane_.template commit<M>(out.port(), &*out);
  }

  /// Outside regions: from now on this call of the handler reads nothing of the message that it was called with, or of its
  /// joined messages. Then the next ones may land as soon as each lane is done: if a region follows, and behind the last
  /// one nothing but commits, the block does not wait for all of its lanes at the handler's end.
  void has_read() { lane_.has_read(); }
  /// The next region keeps to groups of 32 lanes side by side: what it writes, of the actor and of open messages, nobody but
  /// lanes of the writer's group reads or writes until a region has ended for which this was not said, and nobody sends,
  /// fails or stops in it. Then the block need not meet at its end, but each group for itself.
  void keeps_to_groups() { lane_.keeps_to_groups(); }

  /// Outside regions: from now on the worker, if it has several linked actors, brings this one to the chip for its joined
  /// handler only when messages for `firings` calls in a row (1 to 16; more count as 16) are there and its out-ports have
  /// room for as many; its links to itself count once, and a link of fewer slots is asked for all that it holds. Until it is
  /// said it is 1. Each visit moves the actor's state to the chip and back, so it pays where neighbours take turns: half of
  /// them one call ahead of the others, then each two at a time. Who waits for messages that are sent only behind its own
  /// calls waits for ever, and system::quiesce() calls it idle. An actor that has its worker for itself is called as messages
  /// come, and so are all on a CPU.
  void gather(std::uint32_t firings) { lane_.gather(firings); }

  /// Sends a copy of `m`; inside for_each once an index, and a receiver sees one region's messages by rising index.
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
  /// Outside regions: sends a message over 240 bytes that fill(M&) makes where it will lie, see context::send_in_place. All lanes
  /// call it, and write to the message in regions (not then_once) that stand in the lambda, not in functions that it calls:
  ///   ctx.send_in_place<image>(to, [&](image& m) {
  ///     ctx.for_each<4096>(*this, [&](painter& me, int i, int) { m.pixels[i] = me.shade(i); });
  ///   });
  template <class M, class A, class Fill>
  void send_in_place(ref<A> to, Fill&& fill) {
    static_assert(std::is_trivially_copyable_v<M>, "perdure: a message must be trivially copyable");
    static_assert(
        sizeof(M) > abi::inline_payload,
        "perdure: a wide actor's send_in_place is for messages over 240 bytes; use send()");
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
  /// Outside regions: answers the request in hand; see context::reply.
  template <class M>
  void reply(const M& m) {
    static_assert(std::is_trivially_copyable_v<M>, "perdure: a reply must be trivially copyable");
    lane_.template reply<M>(m);
  }
  /// Outside regions: the same with an answer over 240 bytes that fill(M&) makes where it will lie, see send_in_place().
  template <class M, class Fill>
  void reply_in_place(Fill&& fill) {
    static_assert(std::is_trivially_copyable_v<M>, "perdure: a reply must be trivially copyable");
    static_assert(
        sizeof(M) > abi::inline_payload,
        "perdure: a wide actor's reply_in_place is for messages over 240 bytes; use reply()");
    lane_.template reply_in_place<M>(fill);
  }
  /// Outside regions: sends `m` no earlier than `delay` from now.
  template <class Rep, class Period, class A, class M>
  void after(std::chrono::duration<Rep, Period> delay, ref<A> to, const M& m) {
    static_assert(detail::handles<A, M>,
                  "perdure: the receiving actor has no handler for this message");
    const auto ns = std::chrono::duration_cast<std::chrono::nanoseconds>(delay).count();
    lane_.template after<A, M>(ns > 0 ? static_cast<std::uint64_t>(ns) : 0, to.bits, m);
  }
  /// Outside regions: hybrid logical time, an event of its own.
  hlc now() { return hlc{lane_.now()}; }
  /// 64 random bits: outside a region keyed as context::random, inside by region and index too.
  std::uint64_t random() { return lane_.random(); }
  /// Outside regions: scalars into the trace.
  template <class... S>
  void log(log_format format, const S&... values) {
    static_assert(sizeof...(S) <= context::max_log_values, "perdure: log takes at most 12 values");
    const std::uint64_t packed[sizeof...(S) + 1] = {detail::log_bits(values)..., 0};
    std::uint64_t kinds = 0;
    int shift = 0;
    ((kinds |= detail::log_kind<S>() << shift, shift += 4), ...);
    lane_.log(format.key, static_cast<std::uint32_t>(sizeof...(S)), kinds, packed);
  }
  /// As context::stop and fail; inside a region they count when it ends, the highest index's reason for all.
  void stop() { lane_.stop(); }
  void fail(std::uint32_t reason) { lane_.fail(reason); }

  /// For per_lane.
  detail::block_lane& lane() { return lane_; }

 private:
  detail::block_lane& lane_;
};

}  // namespace perdure
