// dsl/include/perdure/actor.hpp - all that a header of actors needs to include.
// Why: users write plain C++20; the tool finds `struct X : perdure::actor<X>` and its `on` overloads.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#if !defined(__CUDACC_RTC__) || PERDURE_WIDE  // NVRTC reads nothing that a program has no use for
#include "perdure/block_actor.hpp"
#endif
#include "perdure/context.hpp"
#include "perdure/hlc.hpp"
#include "perdure/ref.hpp"

namespace perdure {

/// Base of a small actor: a handler call is one GPU thread, or a call on a CPU worker.
/// Handlers are `void on(const Message&, perdure::context&)`, one overload a message type.
/// State is the members: trivially copyable, no pointers, no references.
template <class Self>
struct actor {};

}  // namespace perdure
