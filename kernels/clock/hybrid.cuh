// kernels/clock/hybrid.cuh - the hybrid logical clock: one 64-bit number that follows cause and effect.
// Why: events of host and device, of many workers, need an order without a common clock.
// Invariant: a worker's clock never falls; each stamp given to an actor is above all it has seen.
// Source: Kulkarni, Demirbas, Madappa, Avva, Leone: Logical Physical Clocks, 2014.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernels/abi/envelope.cuh"

namespace perdure::loop {

/// 2026-01-01 00:00:00 UTC in nanoseconds of Unix time.
inline constexpr abi::u64 epoch_2026_ns = 1767225600ULL * 1000000000ULL;

/// The least stamp with this wall time; 48 bits of microseconds, 16 logical.
constexpr abi::u64 stamp_at(abi::u64 wall_ns_since_2026) {
  return (wall_ns_since_2026 / 1000U) << 16U;
}

/// The clock before the next event: not behind the wall, not behind what was received.
/// Adding one to the result carries from the logical into the physical part by itself.
constexpr abi::u64 merge_clock(abi::u64 own, abi::u64 received, abi::u64 wall) {
  abi::u64 clock = own > wall ? own : wall;
#ifndef PERDURE_BREAK_CLOCK  // deliberate break: tests must notice
  clock = clock > received ? clock : received;
#else
  (void)received;
#endif
  return clock;
}
/// As merge_clock(own, abi::stamp_from_wire(wire, own), 0), but for a stamp that is exactly half a period away, in half as many
/// steps: what a lone message waits for.
constexpr abi::u64 merge_wire(abi::u64 own, abi::u64 wire) {
#ifndef PERDURE_BREAK_CLOCK
  const abi::u64 range = 1ULL << 56U;
  const abi::u64 ahead = (wire - own) & abi::data_mask;
  const bool is_ahead = ahead < range / 2 || range - ahead > own;  // or it would be before zero
  return is_ahead ? own + ahead : own;
#else
  (void)wire;
  return own;
#endif
}

}  // namespace perdure::loop
