// kernels/dispatch/control.cuh - the step "poll control": one lane reads the command, the block follows it.
// Why: pause, stop, spawn and statistics need every worker's answer, between two handlers.
// Invariant: an epoch is acknowledged after its command is done and the counters are written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/dispatch/cut_short.cuh"
#include "kernels/dispatch/on_chip.cuh"
#include "kernels/dispatch/traffic.cuh"
#if !defined(__CUDACC_RTC__) || PERDURE_WIDE  // NVRTC reads nothing that a program has no use for
#include "kernels/wide/fire.cuh"
#endif

namespace perdure::loop {

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
  b.once([&] {
    if (abi::command_of(seen) == abi::command::halt && c.pending != 0) cut_short(c, m);
    fold_tally(c);
    if (has_wide(m)) c.linked = load<order::relaxed, scope::device>(&m.linked_count[c.worker]);
  });
  if constexpr (wide_is_built) {
    if (has_wide(m)) {
      const bool could = any_could_fire(b, c, m);
      b.once([&] { c.count[static_cast<u32>(abi::counter::could_fire)] = could ? 1 : 0; });
      // the host may look at states and change links while we rest
      if (abi::command_of(seen) != abi::command::run) put_back(b, c, m);
    }
  }
  b.region([&](u32 lane) {
    bring_chunks(c, m, lane, b.lanes());
    if constexpr (places_are_built) follow_places(c, m, lane, b.lanes());
    PERDURE_ROLLED
    for (u32 i = lane; i < abi::counters; i += b.lanes()) {
      store<order::relaxed, scope::system>(&page.count[i],
                                           load<order::relaxed, scope::block>(&c.count[i]));
    }
  });
  b.once([&] {
    c.epoch = epoch;
    c.commanded = 0;
    forget_receivers(c);  // actors may have been moved, and tables of chunks changed
    // atomic: a scout may still be looking, and reads it without the baton
    store<order::relaxed, scope::block>(
        &c.clock_offset_ns,
        static_cast<long long>(load<order::relaxed, scope::system>(&page.clock_offset_ns)));
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
      case abi::command::park:
        c.state = state_parked;
        // with messages on its hands that have no room or no batch yet, it must not be away
        store<order::relaxed, scope::system>(
            &page.due_ns, c.pending != 0 || c.deferred != 0 ? u64{0} : c.timer_due);
        break;
    }
    store<order::relaxed, scope::system>(&page.undelivered, u64{c.pending != 0});
    // release, system: pairs with the host's acquire; counters and all states written so far are visible to it
    store<order::release, scope::system>(&page.acknowledged, epoch);
  });
}

}  // namespace perdure::loop
