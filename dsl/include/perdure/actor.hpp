// dsl/include/perdure/actor.hpp - all that a header of actors needs to include.
// Why: users write plain C++20; the tool finds `struct X : perdure::actor<X>` and its `on` overloads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(__CUDACC_RTC__) || PERDURE_WIDE  // NVRTC reads nothing that a program has no use for
#include "perdure/block_actor.hpp"
#endif
#include "kernels/abi/overflow.cuh"
#include "perdure/context.hpp"
#include "perdure/hlc.hpp"
#include "perdure/ref.hpp"
#if !defined(__CUDACC_RTC__) || PERDURE_RUNS
#include "perdure/run.hpp"
#endif

namespace perdure {

/// What becomes of a message that finds no room in the receiver's inbox; a small actor's type may choose:
/// `static constexpr auto overflow = perdure::overflow::drop_newest;`. Without it senders wait (back-pressure).
///
/// drop_newest: nobody waits. A message from an actor or a timer that finds no room in the ring of its receiver's worker
/// when its sender's batch is carried out, or one from `sys.send`, `send_many` or `ask` that finds none in the host
/// thread's lane, is a dead letter `dropped`, counted and sampled; an ask ends with `inbox_full`. What has a place is never
/// dropped, and what is handled keeps its order. `sys.try_send` refuses as ever, and nothing is lost.
///
/// fail: the same, but the dead letter is `overflowed`, and the system has failed: it takes nothing more from hosts, and
/// `send`, `ask`, `spawn`, `quiesce` and `stop` return `overflowed`, whose context names the first pair of types. Actors
/// go on until `stop`, which is as orderly as ever.
using overflow = abi::overflow;

/// Base of a small actor: a handler call is one GPU thread, or a call on a CPU worker.
/// A type of which one actor gets most of the messages, such as a counter or a collector, says
/// `static constexpr bool hot = true;`. On a GPU its messages are then handled in runs: looked up once, the next ones read
/// ahead, and a state of up to 64 bytes in registers from the first to the last. Messages of up to 38 bytes come straight from
/// the inbox, and 32 threads handle each alike; what a handler reads must have been written, or they part for ever. Nothing
/// else changes; all types of the program pay a little for it (docs/adr/026, 035). With on_run(), see below, up to 32 messages
/// of such a stream are handled at once, and what a handler sends by context::send_n() is made by 32 threads (docs/adr/071).
/// Handlers are `void on(const Message&, perdure::context&)`, one overload a message type. Where one actor may get most of
/// the messages and each needs much work, `std::uint32_t on_run(const perdure::run<Message>&)` beside one handles up to 32
/// of them at once: see perdure::run.
/// State is the members: trivially copyable, no pointers, no references.
template <class Self>
struct actor {};

}  // namespace perdure
