// kernels/wide/port_lanes.cuh - which lane looks after which port of the held actor.
// Why: a port's books are one lane's, so that what it has written it reads without a barrier.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/link.cuh"
#include "kernels/platform/atomics.cuh"

namespace perdure::loop {

/// Which port a lane looks after first: those with other things to do, the first ones, come last.
template <class Block>
u32 port_of(const Block& b, u32 lane) {
  return b.lanes() - 1 - lane;
}
/// Calls f(port), each from its lane, with no barrier. A CPU's block may have fewer lanes than ports.
template <class Block, class F>
void each_port(Block& b, u32 ports, F f) {
  b.each([&](u32 lane) {
    if constexpr (Block::lane_a_port) {
      if (const u32 p = port_of(b, lane); p < ports) f(p);
      return;
    }
    for (u32 p = port_of(b, lane); p < ports; p += b.lanes()) f(p);
  });
}

}  // namespace perdure::loop
