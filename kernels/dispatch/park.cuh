// kernels/dispatch/park.cuh - leaving the loop to be launched again: what is on chip goes to memory and comes back.
// Why: a loop that waits for hours should not hold the whole device while it does.
// Invariant: rings, spills, timers and states are in memory anyway and stay there; all else that a worker knows is on chip.
//            So it may be parked between any two turns, and nobody who sends to it notices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/baton.cuh"
#include "kernels/dispatch/defer.cuh"

namespace perdure::loop {

inline word* parked_chip(const memory& m, u32 worker) {
  return reinterpret_cast<word*>(m.parked + static_cast<u64>(worker) * m.chip_bytes);
}
inline on_chip& parked_state(const memory& m, u32 worker) {
  return *reinterpret_cast<on_chip*>(parked_chip(m, worker));
}

/// f(i) for each 16-byte word of the chip that is kept, each from its lane. What lies from `in` to `types_here` is a batch's, and
/// between two turns no batch is in hand, but for messages that one has left to the next.
/// @param deferred  words of those. @param outbox  whether it holds something.
template <class F>
void each_kept_word(const memory& m, u32 deferred, bool outbox, u32 lane, u32 lanes, F f) {
  constexpr u32 unit = sizeof(word);
  const auto each = [&](u32 from, u32 to) {
    PERDURE_ROLLED
    for (u32 i = from + lane; i < to; i += lanes) f(i);
  };
  const u32 past = m.out.offset / unit + m.chip_units * unit_words;
  each(0, m.in.offset / unit + deferred);
  each(m.types_here.offset / unit, outbox ? past : m.entry.offset / unit);
  each(past, m.ways.offset / unit);  // nobody is cached: see put_back()
}

/// So long a worker that was brought back polls before it follows the command that let it go on: twice what it takes a message
/// to be seen and handled by instructions that are fetched meanwhile. A whole turn takes thirty microseconds then.
inline constexpr u64 undisturbed_ns = 16'000;

/// Behind the loop, all lanes: a worker that was told to park saves what it has on chip. Within a block cluster, when all
/// have come so far, since until then others write to it.
/// @memory  plain: who reads it is the next launch, which the host orders behind the end of this one.
template <class Block>
PERDURE_OUT_OF_LINE void leave(Block b, on_chip& chip, const memory& mem) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  b.region([](u32) {});
  if (c.state != state_parked) return;
  const auto* from = reinterpret_cast<const word*>(&c);
  word* to = parked_chip(m, c.worker);
  b.region([&](u32 lane) {
    each_kept_word(m, c.deferred_words, c.out_top != 0, lane, b.lanes(),
                   [&](u32 i) { to[i] = from[i]; });
  });
}

/// All lanes: a worker that was parked goes on where it was, and runs, whatever the last command was. What it set out to do by
/// the clock begins anew. How many host lanes there are it asks while the rest is on its way: who sends for the first time
/// may be who has it back.
/// @return whether it was.
template <class Block>
PERDURE_OUT_OF_LINE bool come_back(Block b, on_chip& chip, const memory& mem, u32 worker) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  if (m.parked == nullptr || parked_state(m, worker).state != state_parked) return false;
  b.region([](u32) {});  // all have looked
  auto* to = reinterpret_cast<word*>(&c);
  const word* from = parked_chip(m, worker);
  u64 used = 0;  // lane 0's
  b.region([&](u32 lane) {
    // relaxed: it only rises, and lanes beyond those that hold messages are empty
    if (lane == 0) used = load<order::relaxed, scope::system>(&m.control[worker].lanes_used);
    const abi::u64 policy = first_to_leave();
    const on_chip& was = parked_state(m, worker);
    each_kept_word(m, was.deferred_words, was.out_top != 0, lane, b.lanes(),
                   [&](u32 i) { async_copy_16(to + i, from + i, policy); });
    forget_claims(c, m, lane, b.lanes());
    async_wait();
  });
  b.once([&] {
    parked_state(m, worker).state = state_running;
    c.state = state_running;
    store<order::relaxed, scope::block>(&c.lanes_used, static_cast<u32>(used));
    c.claim_round = first_claim_round;
    c.ahead = {};  // those words were not kept
    find_deferred(c, m);
    open_gate(c.gate);
    begin_scouts(c);
    forget_receivers(c);
    c.control_at = c.stall_since = 0;
  });
  return true;
}

}  // namespace perdure::loop
