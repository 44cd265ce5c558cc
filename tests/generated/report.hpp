// tests/generated/report.hpp - what runs add up to, and what the processes of several headers say together.
// Why: one process and fifty must give one file and one exit code by the same rules.
// Invariant: totals and exit codes are read off the records of the runs; nothing is counted beside them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace perdure::generated {

using nlohmann::ordered_json;

/// Exit codes of perdure-generated-run. Impossible is not a failure where there is no device: CTest skips.
enum class verdict { all_agree = 0, some_do_not = 1, not_possible = 2 };

/// {programs, order_free, order_dependent, runs, runs_with_wraps_spills_and_dead_letters, disagree, wraps, spilled,
/// dead} of an array of runs. A run that ended in an error disagrees.
ordered_json totals_of(const ordered_json& results);

/// Runs in which nothing was ever full or lost would show little: at least half must have been otherwise.
verdict verdict_of(const ordered_json& totals);

/// One sentence of the totals, for people.
std::string sentence(const ordered_json& totals);

/// Joins what one process a header has left behind.
class joined_report {
 public:
  /// @param code    its exit status, 128 + signal if it was killed
  /// @param report  the file that it wrote; discarded if it wrote none
  void add(const std::string& header, int code, const ordered_json& report);
  /// Adds {totals, headers, failed_processes, results} to `to`.
  void write(ordered_json& to) const;
  ordered_json totals() const { return totals_of(results_); }
  /// What the runs say; not_possible if it was so for every header; a process that failed decides over both.
  verdict exit_code() const;

 private:
  ordered_json results_ = ordered_json::array(), failed_ = ordered_json::array();
  std::size_t headers_ = 0, impossible_ = 0;
};

}  // namespace perdure::generated
