// kernels/dispatch/bridge.cuh - messages of host threads on their way to the workers that own the receivers.
// Why: a host thread knows lanes, not workers; one worker a lane takes its words off the bus once.
// Invariant: a lane has one producer and one consumer; its messages keep their order to every receiver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/outbox.cuh"
#include "kernels/dispatch/take.cuh"

namespace perdure::loop {

/// Takes a batch from this worker's host lane number `which` into the outbox, which must have room for in_words words.
/// @param landed  words of the lane that the idle poll has landed, or 0.
template <class Block>
u32 forward_host_lane(Block& b, on_chip& c, const memory& m, u32 which, u32 landed) {
  const host_lane& source = m.host_lanes[c.worker + which * m.workers];
  const u64 head = c.lane_head[which];
  const batch taken =
      land(b, c, head, b.lanes(),
           landed != 0 ? words_landed(c, head, landed, source.shift) : words_of_host(source),
           landed != 0 ? 1 : words_a_lane);
  if (taken.messages == 0) return 0;
  typename Block::template per_lane<u32> offset;
  // offsets follow the order of the lane, so that one host thread's messages to one actor stay in order
  b.ordered_add(c.out_count, offset, taken.messages, [&](u32 lane, u32& dst, u32& words) {
    if (lane >= taken.messages) return false;
    const word first = c.in[c.start[lane]];
    dst = worker_of(m, abi::receiver_index(first));
    words = abi::words_of(first);
    return true;
  });
  b.region([&](u32 lane) {
    if (lane >= taken.messages) return;
    const word* from = c.in + c.start[lane];
    const u32 words = abi::words_of(from[0]);
    const u32 slot = grouped_add(&c.out_top, words);
    word* place =
        place_at(c, worker_of(m, abi::receiver_index(from[0])), offset[lane], slot, words);
    for (u32 k = 0; k < words; ++k) place[k] = from[k];
  });
  b.once([&] {
    c.count[static_cast<u32>(abi::counter::forwarded)] += taken.messages;
    c.forwarded_now += taken.messages;
    c.lane_head[which] = head + taken.words;
    if (head + taken.words - c.lane_told[which] < (u64{1} << source.shift) / 4) return;
    c.lane_told[which] = head + taken.words;
    // release, system: pairs with the host's acquire of the head; the words were read
    store<order::release, scope::system>(source.head, head + taken.words);
  });
  return taken.messages;
}

}  // namespace perdure::loop
