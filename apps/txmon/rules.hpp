// apps/txmon/rules.hpp - the parameters of the seven rules, and the names of rules, severities and reasons.
// Why: actors, oracle, rule file and report read one set of parameters; README.md has the rule text.
// Invariant: every value is within the bounds of rules_file.cpp; windows are below 2^31 ms.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "transaction.hpp"

namespace txmon {

/// How much an account remembers; README.md says what is forgotten first.
inline constexpr std::uint32_t velocity_slots = 30, structuring_slots = 4, credit_slots = 3,
                               evidence_slots = 8;

enum class rule : std::uint8_t {
  velocity,
  amount,
  structuring,
  geography,
  pep,
  deviation,
  rapid_movement
};
inline constexpr unsigned rule_count = 7;

enum class severity : std::uint8_t { none, medium, high, critical };

/// Why geography fired; `none` for the other rules.
enum class reason : std::uint8_t { none, foreign, high_risk, travel };

/// Points of a medium alert; high counts 1.5 times, critical twice. All even: scores are whole.
inline constexpr std::array<std::uint8_t, rule_count> weights = {20, 20, 30, 20, 30, 16, 40};

constexpr const char* name_of(rule r) {
  constexpr std::array<const char*, rule_count> names = {
      "velocity", "amount", "structuring", "geography", "pep", "deviation", "rapid_movement"};
  return names[static_cast<unsigned>(r)];
}
constexpr const char* name_of(side s) { return s == side::debit ? "debit" : "credit"; }
constexpr const char* name_of(severity s) {
  return s == severity::medium     ? "medium"
         : s == severity::high     ? "high"
         : s == severity::critical ? "critical"
                                   : "none";
}
constexpr const char* name_of(reason r) {
  return r == reason::foreign     ? "foreign"
         : r == reason::high_risk ? "high_risk"
         : r == reason::travel    ? "travel"
                                  : "";
}

/// @param list  bit c: country number c is on it.
constexpr bool is_listed(const std::array<std::uint64_t, 4>& list, std::uint32_t country) {
  return (list[country / 64 % 4] >> country % 64 & 1U) != 0;
}

/// Limits are in whole currency units, windows in ms.
struct rules {
  std::uint32_t amount_limit = 10'000;
  std::uint32_t pep_limit = 5'000;
  std::uint32_t rapid_least = 1'000;
  std::uint32_t velocity_window_ms = 600'000;
  std::uint32_t structuring_window_ms = 86'400'000;
  std::uint32_t rapid_window_ms = 3'600'000;
  std::uint32_t travel_window_ms = 3'600'000;
  std::uint16_t deviation_hundredths = 400;  ///< deviations above the mean, in hundredths
  std::uint16_t deviation_count = 20;        ///< postings seen before it judges
  std::uint8_t velocity_limit = 10, velocity_high = 2, velocity_critical = 3;
  std::uint8_t amount_high = 2, amount_critical = 5;
  std::uint8_t structuring_count = 3, structuring_percent = 90;
  std::uint8_t rapid_percent = 80;
  std::array<std::uint64_t, 4> high_risk{};  ///< bit c: country number c is on the list

  constexpr bool is_high_risk(std::uint32_t country) const { return is_listed(high_risk, country); }
  friend bool operator==(const rules&, const rules&) = default;
};

/// What is known of a customer beforehand.
struct customer {
  std::uint8_t home = 0;  ///< country number; 0: the country of the first debit that has one
  bool pep = false;       ///< a politically exposed person
  std::array<std::uint8_t, 6> allowed{};  ///< further countries, 0 where there is none

  friend bool operator==(const customer&, const customer&) = default;
};

/// What one account is judged by; sent to it when it changes.
struct terms {
  rules limits;
  customer who;

  friend bool operator==(const terms&, const terms&) = default;
};
static_assert(sizeof(terms) == 80);

}  // namespace txmon
