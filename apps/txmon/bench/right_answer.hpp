// apps/txmon/bench/right_answer.hpp - what the oracle says of a stream, and whether a run said the same.
// Why: a figure counts only if all alerts and all states behind it are right.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "account.hpp"
#include "outcome.hpp"
#include "rule_schedule.hpp"

namespace txmon::bench {

/// Calls use(states) for stretch after stretch of all accounts, by id.
using each_state = std::function<void(const std::function<void(std::span<const account>)>& use)>;

class right_answer {
 public:
  /// Runs the oracle over the rows, on the accounts that they touch.
  /// @param rules  that hold for all customers alike
  right_answer(const std::vector<transaction>& rows, std::uint32_t accounts,
               const rule_schedule& rules);

  /// Compares the alerts, and the states of all accounts that a row touches; the others must have seen nothing.
  /// @param alerts  sorted. @throws failure (different) with the first difference and who gave it
  void expect(const std::string& who, std::vector<finding> alerts, const each_state& states) const;

  std::size_t alerts() const { return expected_.alerts.size(); }
  double seconds() const { return seconds_; }  ///< the oracle's own time, without taking the rows

 private:
  std::vector<std::uint32_t> place_, touched_;  // id to the oracle's number and back
  outcome expected_;
  double seconds_ = 0;
};

}  // namespace txmon::bench
