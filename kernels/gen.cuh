// kernels/gen.cuh - names that a generated unit fills in; found by argument-dependent lookup through `tag`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

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
