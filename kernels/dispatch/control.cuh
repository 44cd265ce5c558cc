// kernels/dispatch/control.cuh - the step "poll control": one lane reads the command, the block follows it.
// Why: pause, stop, spawn and statistics need every worker's answer, between two handlers.
// Invariant: an epoch is acknowledged after its command is done and the counters are written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/on_chip.cuh"

namespace perdure::loop {

/// What a look brings: the command word and the number of host lanes in use, the first 16 bytes of the page.
struct command_look {
  word seen{0, 0};
  bool under_way = false;
};

/// Lane 0: begins a look and leaves a sign of life. Nothing waits for the bus here: what was seen is compared at the end
/// of the turn (note_look) and followed in the next one (obey).
inline void begin_look(on_chip& c, const memory& m, u64 now, command_look& look) {
  abi::control_page& page = m.control[c.worker];
  // relaxed: a hint only; obey() reads again with acquire
  look.seen = load<order::relaxed, scope::system>(reinterpret_cast<const word*>(&page));
  look.under_way = true;
  store<order::relaxed, scope::system>(&page.heartbeat, ++c.heartbeat);
  c.control_at = now + m.control_ns;
  store<order::relaxed, scope::system>(&page.clock_ns, now);
}
inline void note_look(on_chip& c, const command_look& look) {
  if (!look.under_way) return;
  c.commanded = abi::epoch_of(look.seen.lo) != c.epoch ? 1 : 0;
  c.lanes_used = static_cast<u32>(look.seen.hi);
}

/// Follows the command word. All lanes; waits for the bus, so only after a look has seen a new epoch.
template <class Block>
PERDURE_OUT_OF_LINE void obey(Block b, on_chip& chip, const memory& mem) {
  on_chip& c = here(chip);
  const memory& m = here(mem);
  abi::control_page& page = m.control[c.worker];
  // acquire, system: pairs with the host's release; states and tables it wrote before are seen by all lanes
  b.once([&] { c.seen = load<order::acquire, scope::system>(&page.command); });
  const u64 seen = c.seen;
  const u64 epoch = abi::epoch_of(seen);
  b.once([&] { fold_tally(c); });
  b.region([&](u32 lane) {
    for (u32 i = lane; i < abi::counters; i += b.lanes()) {
      store<order::relaxed, scope::system>(&page.count[i],
                                           load<order::relaxed, scope::block>(&c.count[i]));
    }
  });
  b.once([&] {
    c.epoch = epoch;
    c.commanded = 0;
    c.clock_offset_ns = load<order::relaxed, scope::system>(&page.clock_offset_ns);
    switch (abi::command_of(seen)) {
      case abi::command::run:
        c.state = state_running;
        break;
      case abi::command::pause:
        c.state = state_paused;
        break;
      case abi::command::halt:
        c.state = state_halted;
        break;
    }
    // release, system: pairs with the host's acquire; counters and all states written so far are visible to it
    store<order::release, scope::system>(&page.acknowledged, epoch);
  });
}

}  // namespace perdure::loop
