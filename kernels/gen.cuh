// kernels/gen.cuh - names that a generated unit fills in; found by argument-dependent lookup through `tag`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/word.cuh"

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

namespace perdure::detail {

/// A state that is so small stays in registers while messages are handled in a row.
template <class A>
inline constexpr bool in_registers = sizeof(A) <= 64;
/// A message of a stream has at most so many words.
inline constexpr unsigned words_in_row = 4;
/// Whether on_run() handles such messages of a stream: of the others its lanes all do the same, one after another. The state then
/// lies on chip, in what a batch of many actors has for its chains, which no batch is under way to use.
template <class A, class M>
inline constexpr bool rows_in_runs =
    in_registers<A> && alignof(A) <= sizeof(abi::word) && abi::words_for(sizeof(M)) <= words_in_row;

}  // namespace perdure::detail
