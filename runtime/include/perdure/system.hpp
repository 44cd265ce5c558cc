// runtime/include/perdure/system.hpp - the facade: start a program of actors, talk to it, stop it.
// Why: one interface over the CUDA and the CPU backend; the caller never sees rings or kernels.
// Threads: every member may be called from any thread at any time, except the destructor and moves.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <future>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "perdure/actor.hpp"
#include "perdure/mailbox.hpp"
#include "perdure/options.hpp"
#include "perdure/program.hpp"
#include "perdure/range.hpp"
#include "perdure/result.hpp"
#include "perdure/stats.hpp"
#include "perdure/system_core.hpp"

namespace perdure {

/// One link that system::link() is to make.
struct link {
  template <class A, class B>
  link(ref<A> from, typename A::port out, ref<B> to, typename B::port in, std::uint32_t slots = 2)
      : request{from.bits, to.bits, static_cast<std::uint32_t>(out), static_cast<std::uint32_t>(in),
                0,         slots} {}
  /// Of messages of type M, where the receiver's joined handler takes several types.
  template <class M>
  static link of(auto from, auto out, auto to, auto in, std::uint32_t slots = 2) {
    link made{from, out, to, in, slots};
    made.request.message_key = detail::type_key<M>();
    return made;
  }
  detail::link_request request;
};

/// What can be spawned: a small actor or a wide one.
template <class A>
concept actor_type = std::is_base_of_v<actor<A>, A> || std::is_base_of_v<block_actor<A>, A>;

class system {
 public:
  /// Compiles (or finds in the cache), sizes and starts the program's dispatch loop.
  /// One system on a GPU a process and device.
  /// @return the system, or no_device, no_driver, driver_too_old, no_nvrtc, compile_failed, device_busy,
  ///         device_failed, out_of_memory, bad_option, abi_mismatch, unsupported. With backend::automatic a missing device,
  ///         driver or NVRTC means the CPU backend instead: options.on_warning is told why, layout() says which it is.
  static result<system> start(const program& actors, options opts = {});

  /// How many processors such a system would find: SMs of the device, or cores. So many workers it has, if the options name
  /// no other number; clusters may leave a few empty. Nothing is compiled or started.
  /// @return the number, or no_device, no_driver, driver_too_old; with backend::automatic a missing device or driver means cores.
  static result<std::uint32_t> processors(const options& opts);

  system(system&&) noexcept = default;
  system& operator=(system&&) noexcept = default;
  ~system() = default;  ///< stops within options.stop_timeout; never throws, never hangs

  /// Makes `n` actors with consecutive indices.
  /// @param init  a state, or `f(std::size_t i) -> A`. It runs while the system is held, and maybe paused: of this system it
  ///              may send to actors that were there before; statistics() gives it what was counted last, and what needs
  ///              the system to itself, such as spawn() or view(), is `busy`. It must wait for no thread that does these.
  ///              What it throws comes out of spawn(), and nothing was made.
  /// @return their references, or too_many_actors, no_handler, closed, busy (called by an `init`), overflowed, device_failed,
  ///         stuck (a worker did not answer within options.stop_timeout).
  template <class A, class Init>
  result<range<A>> spawn(std::size_t n, const Init& init) {
    static_assert(
        actor_type<A>,
        "perdure: spawn<A> makes actors; A derives from perdure::actor<A> or block_actor<A>");
    auto make = [&](std::size_t i, void* at) {
      if constexpr (std::is_invocable_r_v<A, const Init&, std::size_t>) {
        ::new (at) A(init(i));
      } else {
        ::new (at) A(init);
      }
    };
    return to_range<A>(core_->spawn(detail::type_key<A>(), n, make));
  }
  template <class A>
  result<range<A>> spawn(std::size_t n = 1) {
    return spawn<A>(n, A{});
  }

  /// Sends one message; waits for room up to options.send_timeout, unless the receiver's type has another overflow rule:
  /// then what finds no room is a dead letter at once (perdure::overflow).
  /// To an actor that has stopped is no error: such messages are dead letters.
  /// A message over 240 bytes lies in a buffer of this thread's host lane until it is handled, and waits for one
  /// (options::host_buffer_slots).
  /// @return nothing, or inbox_full, closed, null_ref, foreign_ref, no_handler, overflowed.
  template <class A, class M>
  result<void> send(ref<A> to, const M& m) {
    return core_->send(to.bits, checked_key<A, M>(), &m, sizeof(M), core_->send_timeout());
  }
  /// As send(), but tries once.
  template <class A, class M>
  result<void> try_send(ref<A> to, const M& m) {
    return core_->send(to.bits, checked_key<A, M>(), &m, sizeof(M), std::chrono::nanoseconds{0});
  }
  /// Sends `messages[i]` to `to[i]`, in order. @return how many were sent, or dropped, before the timeout or error; overflowed.
  template <class A, class M>
  result<std::size_t> send_many(std::span<const ref<A>> to, std::span<const M> messages) {
    return send_many(to, messages, core_->send_timeout());
  }
  /// As above. @param wait  for room, without any of them being sent; 0: tries once.
  template <class A, class M>
  result<std::size_t> send_many(std::span<const ref<A>> to, std::span<const M> messages,
                                std::chrono::nanoseconds wait) {
    return core_->send_many(reinterpret_cast<const std::uint64_t*>(to.data()), checked_key<A, M>(),
                            messages.data(), sizeof(M), std::min(to.size(), messages.size()), wait);
  }

  /// Sends a request and waits for the reply.
  /// @return the reply, or wrong_reply, timeout, receiver_down, cancelled, and what send() returns.
  template <class R, class A, class M>
  result<R> ask(ref<A> to, const M& m, std::chrono::nanoseconds timeout) {
    static_assert(std::is_trivially_copyable_v<R>);
    R reply;
    auto done = core_->ask(to.bits, checked_key<A, M>(), &m, sizeof(M), detail::type_key<R>(),
                           &reply, sizeof(R), timeout);
    if (!done) return done.error();
    return reply;
  }
  /// As ask(), without waiting: many may be in flight. The future never throws broken_promise.
  template <class R, class A, class M>
  std::future<result<R>> ask_async(ref<A> to, const M& m, std::chrono::nanoseconds timeout) {
    static_assert(std::is_trivially_copyable_v<R>);
    auto promise = std::make_shared<std::promise<result<R>>>();
    auto future = promise->get_future();
    core_->ask_async(to.bits, checked_key<A, M>(), &m, sizeof(M), detail::type_key<R>(), timeout,
                     [promise](const error* why, const void* bytes) {
                       if (why != nullptr) return promise->set_value(result<R>{*why});
                       R reply;
                       std::memcpy(&reply, bytes, sizeof(R));
                       promise->set_value(result<R>{reply});
                     });
    return future;
  }

  /// A mailbox that actors can send `M...` to; full means back-pressure on the actors' workers.
  /// @param capacity  messages kept on the host; memory is set aside now and used as they come.
  /// @return the mailbox, or bad_option (capacity 0), out_of_memory, closed or
  ///         no_handler (no actor of the program sends, replies or takes such a message).
  template <class... M>
  result<mailbox<M...>> make_mailbox(std::size_t capacity) {
    return mailbox<M...>::make(core_, capacity);
  }

  /// Copies out one actor's state. The system must be idle, paused or stopped.
  /// @return state, or busy, receiver_down, null_ref, foreign_ref, no_handler, stuck, device_failed.
  template <class A>
  result<A> view(ref<A> of) {
    static_assert(std::is_trivially_copyable_v<A>);
    alignas(A) std::byte raw[sizeof(A)];
    auto done = core_->view(of.bits, detail::type_key<A>(), 1, raw, sizeof(A));
    if (!done) return done.error();
    return *std::launder(reinterpret_cast<A*>(raw));
  }
  /// Copies out the states of a whole range: `out.size()` must be `of.size()`.
  template <class A>
  result<void> view(range<A> of, std::span<A> out) {
    if (out.size() != of.size())
      return error{errc::bad_option, "view: out.size() differs from the range's"};
    if (out.empty()) return {};
    return core_->view(of[0].bits, detail::type_key<A>(), out.size(), out.data(), sizeof(A));
  }

  /// Links an out-port of a wide actor to an in-port of one: what `from` commits there comes to `to`'s joined handler.
  /// @param slots  messages that the link holds: a power of two up to 1,024. An actor fires with room at every out-port
  ///               only, so a ring of links that hold one message each stands still once all of them do.
  /// @return nothing, or bad_link (unlike types, a port that is taken or does not exist), receiver_down, null_ref,
  ///         foreign_ref, too_many_actors (the arena is spent), closed, busy (called by an `init`), stuck, device_failed.
  template <class A, class B>
  result<void> link(ref<A> from, typename A::port out, ref<B> to, typename B::port in,
                    std::uint32_t slots = 2) {
    return link(perdure::link{from, out, to, in, slots});
  }
  result<void> link(const perdure::link& one) { return core_->link({&one.request, 1}); }
  /// Makes all of them, or none; the workers rest once.
  result<void> link(std::span<const perdure::link> links) {
    std::vector<detail::link_request> requests;
    for (const perdure::link& one : links) requests.push_back(one.request);
    return core_->link(requests);
  }

  /// Brings actors that send to each other together on one worker, by the traffic counted since the last call or the
  /// start, with no worker much over the average load: waits until the system is idle and no letter waits for a full
  /// mailbox, moves states, and goes on.
  /// References, states, generations and the order of a pair stay what they were. Host threads that send meanwhile wait,
  /// for room as ever: `inbox_full` when their time is up, at once for try_send(). So who brings the system to rest must not
  /// be one of them, nor who empties a full mailbox. Wide actors are not moved, nor is an actor that has a ctx.after()
  /// pending; what hosts send is counted, but moves nobody.
  /// @return who sits where and what is to be expected of it; or bad_option (options.placement is not `counted`), busy
  ///         (paused), timeout (it did not come to rest), too_many_actors (the arena has no room for the table),
  ///         out_of_memory, closed; then nothing was moved. stuck: a worker did not answer in time; if to the last question,
  ///         actors were moved. device_failed.
  result<placement_report> rebalance(std::chrono::nanoseconds timeout) {
    return core_->rebalance(timeout);
  }
  /// Who sits where, and with placement::counted how far messages have gone since the last rebalance(). At any time; exact
  /// if the system is idle or paused. @return the report, or stuck, device_failed.
  result<placement_report> placement() const { return core_->placement(); }
  /// The worker that an actor sits at, or sat at when it stopped. @return null_ref, foreign_ref, receiver_down (there
  /// never was one).
  result<std::uint32_t> worker_of(any_ref of) const { return core_->worker_of(of.bits); }

  /// Waits until nothing is queued and nothing is handled; timers not yet due do not count. By then letters are in their
  /// mailboxes, unless these are full, and replies have ended their asks.
  /// @return nothing, or timeout, busy (paused), closed, overflowed, stuck, device_failed.
  result<void> quiesce(std::chrono::nanoseconds timeout) { return core_->quiesce(timeout); }
  /// Stops every worker between two handlers, queues intact, until resume().
  /// @return nothing, or closed, stuck (a worker did not answer in time; those that had paused go on), device_failed.
  result<void> pause(std::chrono::nanoseconds timeout = std::chrono::seconds{1}) {
    return core_->pause(timeout);
  }
  /// @return nothing, or closed, stuck, device_failed.
  result<void> resume() { return core_->resume(); }
  /// Refuses new host messages, handles what is queued and what that sends until nothing is left or
  /// the time is up; the rest are dead letters `shutdown`. For letters that have no room since a mailbox is full it waits as
  /// for all else; those that have can be received behind it. @return nothing, also when it has stopped before; or timeout or
  /// stuck if it was cut short (a handler that does not return is named about a second after the time given: docs/adr/007),
  /// overflowed, device_failed.
  result<void> stop(std::chrono::nanoseconds timeout) { return core_->stop(timeout); }

  stats statistics() const { return core_->statistics(); }
  layout_report layout() const { return core_->layout(); }
  hlc now() { return core_->now(); }

  /// For tools that know a program only by its tables; types are keys and bytes there.
  detail::system_core& core() { return *core_; }

 private:
  explicit system(std::shared_ptr<detail::system_core> core) : core_{std::move(core)} {}

  template <class A, class M>
  static constexpr std::uint64_t checked_key() {
    static_assert(detail::handles<A, M>,
                  "perdure: the receiving actor has no handler for this message");
    static_assert(std::is_trivially_copyable_v<M>, "perdure: a message must be trivially copyable");
    return detail::handler_key<A, M>();
  }
  template <class A>
  static result<range<A>> to_range(result<detail::raw_range> raw) {
    if (!raw) return raw.error();
    return range<A>{raw->first, raw->size};
  }

  std::shared_ptr<detail::system_core> core_;
};

}  // namespace perdure
