// kernels/wide/device_block_lane.cuh - what stands behind perdure::block_context on the device.
// Why: the user's handler is inlined into the loop, and so are its regions; ids come from the generated unit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/gen.cuh"
#include "kernels/platform/block_device.cuh"
#include "kernels/wide/wide_lane.cuh"

namespace perdure::loop {

/// Ids by type, found by argument-dependent lookup in what stands behind the user's declarations.
template <class Tag>
struct generated_ids {
  template <class A, class M>
  static constexpr u32 handler() {
    return handler_id(Tag{}, static_cast<A*>(nullptr), static_cast<M*>(nullptr));
  }
  template <class M>
  static constexpr u32 message() {
    return message_id(Tag{}, static_cast<M*>(nullptr));
  }
  static constexpr u32 private_place(u32 actor, u32 offset) {
    return private_place_of(Tag{}, actor, offset);
  }
};

}  // namespace perdure::loop

namespace perdure::loop {
/// The block of a loop with wide actors: all its threads, always.
using whole_block = device_block<PERDURE_LANES>;
}  // namespace perdure::loop

namespace perdure::detail {

template <class E>
struct lane_array {
  E* first;
  lane_array(E* at) : first{at} {}
  E& operator[](loop::u64 k) const { return first[k]; }
};
struct block_lane : loop::wide_lane<loop::whole_block, loop::generated_ids<gen::tag>> {};

}  // namespace perdure::detail
