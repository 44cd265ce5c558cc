// dsl/include/perdure/hlc.hpp - hybrid logical time as users see it.
// Why: events on host, GPU and CPU workers need one order that follows cause and effect.
// Invariant: if e happened before f, hlc(e) < hlc(f); ties between actors are ordered by actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace perdure {

/// A hybrid logical time: 48 bits of microseconds since 2026-01-01 UTC, 16 bits of logical count.
/// @source Kulkarni, Demirbas, Madappa, Avva, Leone: Logical Physical Clocks, 2014.
struct hlc {
  std::uint64_t bits = 0;

  /// Physical part, microseconds since 2026-01-01 UTC.
  constexpr std::uint64_t microseconds() const { return bits >> 16U; }
  /// Logical part: events within one microsecond.
  constexpr std::uint32_t logical() const { return static_cast<std::uint32_t>(bits & 0xffffU); }
  friend constexpr bool operator==(hlc a, hlc b) { return a.bits == b.bits; }
  friend constexpr bool operator!=(hlc a, hlc b) { return a.bits != b.bits; }
  friend constexpr bool operator<(hlc a, hlc b) { return a.bits < b.bits; }
};

}  // namespace perdure
