// kernels/gen.cuh - names that a generated unit fills in; found by argument-dependent lookup through `tag`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// A copy of the code for each call, however large: handlers, since what a call of theirs has in hand would else be in memory.
#if defined(__CUDACC_RTC__)
#define PERDURE_INLINED __forceinline__
#else
#define PERDURE_INLINED
#endif

namespace perdure::gen {

struct tag {};
struct actor_row {
  unsigned size, align;
};
struct handler_row {
  unsigned actor, message, bytes;
};

/// Tells a device's lane whose handler it runs: private_place_of() asks for it.
template <class Lane>
void enter(Lane& lane, unsigned actor) {
  if constexpr (requires { lane.actor; }) lane.actor = actor;
}

}  // namespace perdure::gen
