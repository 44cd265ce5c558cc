// apps/txmon/outcome.hpp - what a run of the actors and a run of the oracle both give, to be compared.
// Why: "equal" must mean every alert and every field of every account, to the last bit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "rules.hpp"
#include "transaction.hpp"

namespace txmon {

/// One alert as stored; README.md says what value, limit and window of each rule are.
struct finding {
  std::int64_t time_ms = 0;
  std::uint64_t number = 0;
  side direction = side::debit;
  rule fired = rule::velocity;
  severity level = severity::none;
  reason why = reason::none;
  std::uint8_t score = 0;
  std::uint32_t account = 0, counterparty = 0;  ///< dense ids
  std::int64_t value = 0, from_ms = 0;
  double limit = 0;
  std::vector<std::uint64_t> evidence;  ///< transaction numbers, oldest first
  std::uint64_t hlc = 0;  ///< when the account raised it; not compared: it differs between runs

  /// The order in which alerts are stored; no two alerts are equal in it.
  auto key() const { return std::tuple{time_ms, number, direction, fired}; }
};

/// A credit that the rule rapid_movement remembers.
struct remembered_credit {
  std::uint64_t number = 0, in_before = 0, out_before = 0;
};

/// The state of one account, free of any representation. Lists are oldest first.
struct account_figures {
  std::int64_t balance_cents = 0;
  std::uint64_t came_in = 0;
  /// Of 128 bits: the sum of all amounts' squares.
  std::uint64_t squares_low = 0, squares_high = 0;
  std::uint32_t seen = 0, alerted = 0;
  std::uint8_t home = 0, presence_country = 0;
  std::int64_t presence_ms = 0;
  std::uint64_t presence_number = 0;
  std::vector<std::int64_t> recent_ms;
  std::vector<std::uint64_t> recent_numbers;  ///< the newest 8
  std::vector<std::int64_t> near_ms;
  std::vector<std::uint64_t> near_numbers;
  std::vector<remembered_credit> credits;
};

struct outcome {
  std::vector<finding> alerts;            ///< sorted
  std::vector<account_figures> accounts;  ///< by id
  std::vector<std::uint64_t> late;        ///< numbers, ascending
};

/// Puts alerts into the order in which they are stored and compared.
void sort_alerts(std::vector<finding>& alerts);

/// 64-bit FNV-1a over every compared field, byte by byte from the lowest; doubles by their bits.
/// Dense ids differ between runs, so alerts are hashed without them, and accounts with their names, to be summed.
std::uint64_t checksum_step(std::uint64_t hash, const finding& alert);
std::uint64_t checksum_of(const account_figures& account, std::string_view name);
inline constexpr std::uint64_t checksum_start = 0xcbf29ce484222325U;

/// The first difference in words such as "account 17: balance_cents 5, expected 6", or nothing.
std::optional<std::string> first_difference(const outcome& got, const outcome& expected);

}  // namespace txmon
