// apps/txmon/alert.hpp - what an account sends when a rule fires.
// Why: accounts, host and a batch by hand read the same message.
// Invariant: evidence_count is at most evidence_slots.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "rules.hpp"
#include "transaction.hpp"

namespace txmon {

/// A rule fired. `value` and `limit` are cents, a count, or for travel milliseconds; README.md says which.
struct alert {
  std::uint64_t number;  ///< of the transaction in hand
  std::int64_t time_ms;
  std::int64_t value;
  std::int64_t from_ms;  ///< where the window begins; time_ms if the rule has none
  double limit;
  std::uint32_t account;
  std::uint32_t counterparty;
  rule fired;
  severity level;
  std::uint8_t score;  ///< 0 .. 100, of all rules that fired on this posting
  side direction;
  reason why;
  std::uint8_t evidence_count;
  std::array<std::uint64_t, evidence_slots> evidence;  ///< transaction numbers, oldest first
};

}  // namespace txmon
