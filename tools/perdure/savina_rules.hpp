// tools/perdure/savina_rules.hpp - what the Savina programs compute, the same for perdure's actors
// and for CAF's.
// Why: both sides must do the same work and give the same answers, which the host can compute on
// its own.
// Source: Imam, Sarkar, "Savina - an actor benchmark suite", AGERE! 2014; the defaults are its
// parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "mix.hpp"

namespace savina {

inline constexpr std::uint32_t default_pings = 40'000;          ///< ping-pong
inline constexpr std::uint32_t default_increments = 1'000'000;  ///< count
inline constexpr std::uint32_t big_members = 120, default_big_pings = 20'000;
inline constexpr std::uint32_t ring_hoppers = 100, default_hops = 100'000;
inline constexpr std::uint32_t bank_accounts = 1'000, default_transfers = 50'000;
/// Not in Savina, which has all under way at once: so many bursts of so many messages.
inline constexpr std::uint32_t count_burst = 1'024, count_window = 8, bank_burst = 256,
                               bank_window = 8;
inline constexpr std::uint32_t many_pings = 2'000;  ///< of each of many pairs; not in Savina

/// What a ping is answered with.
constexpr std::uint32_t pong_of(std::uint32_t number) { return bench::mix(number + 1); }

/// big: a member's next random number, and whom it pings then; never itself.
constexpr std::uint32_t next_walk(std::uint32_t walk) { return bench::mix(walk + 0x9e3779b9U); }
constexpr std::uint32_t partner_of(std::uint32_t walk, std::uint32_t self, std::uint32_t members) {
  return (self + 1 + walk % (members - 1)) % members;
}

/// ring: what the token carries after it was at `place`.
constexpr std::uint32_t passed(std::uint32_t value, std::uint32_t place) {
  return bench::mix(value + place);
}

/// banking: transfer `number` of a run. An account never pays itself.
struct transfer {
  std::uint32_t from, to, cents;
};
constexpr transfer transfer_of(std::uint32_t number, std::uint32_t accounts) {
  const std::uint32_t a = bench::mix(2 * number), b = bench::mix(2 * number + 1);
  const std::uint32_t from = a % accounts;
  return {from, (from + 1 + b % (accounts - 1)) % accounts, 1 + (a >> 16U) % 1'000};
}

}  // namespace savina
