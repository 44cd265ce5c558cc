// apps/txmon/outcome.hpp - what a run of the actors and a run of the oracle both give, to be compared.
// Why: "equal" must mean every alert and every field of every account, to the last bit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rules.hpp"

namespace txmon {

/// One alert as reported; ordered by (sequence, account, rule).
struct finding {
  std::uint64_t sequence = 0;
  std::uint32_t account = 0;
  rule fired = rule::amount;
  side direction = side::debit;
  std::int64_t time_ms = 0;
  std::int64_t value = 0;
  double limit = 0;
};

/// The state of one account, free of any representation.
struct account_figures {
  std::int64_t balance_cents = 0;
  double mean_cents = 0;
  double squares = 0;
  std::uint32_t seen = 0;
  std::uint32_t alerted = 0;
  std::vector<std::int64_t>
      window_ms;  ///< posting times in the window at the last posting, oldest first
};

struct outcome {
  std::vector<finding> alerts;            ///< sorted
  std::vector<account_figures> accounts;  ///< by id
};

/// Puts alerts into the order in which they are reported and compared.
void sort_alerts(std::vector<finding>& alerts);

/// 64-bit FNV-1a over every field, byte by byte from the lowest; doubles by their bits.
std::uint64_t checksum(const std::vector<finding>& alerts);
std::uint64_t checksum(const std::vector<account_figures>& accounts);

/// The first difference in words such as "account 17: balance_cents 5, expected 6", or nothing.
std::optional<std::string> first_difference(const outcome& got, const outcome& expected);

}  // namespace txmon
