// kernels/dispatch/bridge.cuh - messages of host threads on their way to the workers that own the receivers.
// Why: a host thread knows lanes, not workers; one worker a lane takes its words off the bus once.
// Invariant: a lane has one producer and one consumer; its messages keep their order to every receiver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/emit.cuh"
#include "kernels/dispatch/take.cuh"

namespace perdure::loop {

/// Lands what stands in this worker's host lane number `which`.
template <class Block>
batch land_host_lane(Block& b, on_chip& c, const memory& m, u32 which) {
  const host_lane& source = m.host_lanes[c.worker + which * m.workers];
  return land(b, c, m, c.lane_head[which], b.lanes(), words_of_host(source));
}

/// Moves a landed batch of host lane number `which` into the outbox, which must have room for 2 * lanes units.
template <class Block>
void forward_host_lane(Block& b, on_chip& c, const memory& m, u32 which, batch taken) {
  if (taken.messages == 1) {
    b.lead([&] {
      const word* from = c[m.in] + c[m.start][0];
      c.straight = c.out_top == 0 ? 1 : 0;
      emit_words<1>(c, m, worker_of(m, abi::receiver_index(from[0])), abi::words_of(from[0]),
                 [&](u32 k) { return from[k]; });
      // the host has counted it as sent
      if (c.straight != 0) {
        --c.count[static_cast<u32>(abi::counter::sent)];
      } else {
        ++c.forwarded_now;
      }
    });
  } else {
    typename Block::template per_lane<u32> offset;
    typename Block::template per_lane<u32> unit;
    auto words_of = [&](u32 lane) { return abi::words_of(c[m.in][c[m.start][lane]]); };
    auto dst_of = [&](u32 lane) {
      return worker_of(m, abi::receiver_index(c[m.in][c[m.start][lane]]));
    };
    // offsets follow the order of the lane, so that one host thread's messages to one actor stay in order
    b.ordered_add(c[m.out_count], offset, taken.messages, [&](u32 lane, u32& dst, u32& words) {
      if (lane >= taken.messages) return false;
      dst = dst_of(lane);
      words = words_of(lane);
      return true;
    });
    const u32 top = c.out_top;
    const u32 units = b.scan(unit, [&](u32 lane) {
      return lane < taken.messages ? units_for(words_of(lane)) : 0;
    });
    b.region([&](u32 lane) {
      if (lane == 0) c.out_top = top + units;
      if (lane >= taken.messages) return;
      const word* from = c[m.in] + c[m.start][lane];
      const u32 words = abi::words_of(from[0]);
      const outbox_place place =
          enter_message(c, m, dst_of(lane), offset[lane], top + unit[lane], words);
      for (u32 k = 0; k < words; ++k) place.put(k, from[k]);
    });
  }
  b.once([&] {
    const host_lane& source = m.host_lanes[c.worker + which * m.workers];
    const u64 head = c.lane_head[which] += taken.words;
    c.count[static_cast<u32>(abi::counter::forwarded)] += taken.messages;
    if (taken.messages != 1) c.forwarded_now += taken.messages;
    if (head - c.lane_told[which] < (u64{1} << source.shift) / 4) return;
    c.lane_told[which] = head;
    // release, system: pairs with the host's acquire of the head; the words were read
    store<order::release, scope::system>(source.head, head);
  });
}

}  // namespace perdure::loop
