// apps/txmon/rules.hpp - the parameters of the three rules, and the names of rules and sides.
// Why: actors, oracle, rule file and report read one set of thresholds; README.md has the rule text.
// Invariant: 1 <= velocity_limit < window_slots, so a full window always means "over the limit".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace txmon {

/// How many posting times an account remembers; a velocity count never exceeds it.
inline constexpr std::uint32_t window_slots = 32;

/// Which way the money goes at the account that gets the posting.
enum class side : std::uint8_t { debit, credit };

enum class rule : std::uint8_t { amount, velocity, deviation };
inline constexpr unsigned rule_count = 3;

constexpr const char* name_of(side s) { return s == side::debit ? "debit" : "credit"; }
constexpr const char* name_of(rule r) {
  return r == rule::amount ? "amount" : r == rule::velocity ? "velocity" : "deviation";
}

/// Thresholds; the defaults are set for PaySim, where half of all amounts exceed 15,000.00.
struct rules {
  std::int64_t amount_limit_cents = 100'000'000;    ///< amount: a debit above this, cents
  std::int64_t velocity_window_ms = 2 * 3'600'000;  ///< velocity: length of the window
  std::uint32_t velocity_limit = 10;                ///< velocity: more postings than this in it
  std::uint32_t deviation_min_count = 10;           ///< deviation: postings seen before it judges
  double deviation_factor = 4.0;                    ///< deviation: deviations above the mean
};

}  // namespace txmon
