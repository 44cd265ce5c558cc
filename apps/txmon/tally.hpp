// apps/txmon/tally.hpp - what a run adds up to: counts, checksum of the alerts, and how they meet the labels.
// Why: a monitor that cannot say how much it finds, and how often it cries wolf, cannot be tuned.
// Invariant: the alerts of one transaction come in one epoch, so a transaction is counted as flagged once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "outcome.hpp"
#include "source.hpp"

namespace txmon {

/// Plain numbers only: a checkpoint keeps them as they are.
struct tally_counts {
  std::uint64_t transactions = 0, skipped = 0, late = 0;
  std::uint64_t alerts = 0;
  std::array<std::uint64_t, rule_count> by_rule{};
  std::array<std::uint64_t, 4> by_severity{};
  std::uint64_t alerts_checksum = checksum_start;
  std::uint64_t fraud = 0;                          ///< labelled transactions
  std::uint64_t flagged = 0;                        ///< transactions with any alert
  std::uint64_t hits = 0;                           ///< of these, labelled
  std::array<std::uint64_t, rule_count> planted{};  ///< labelled for this very rule
  std::array<std::uint64_t, rule_count> found{};    ///< of these, with an alert of that rule
};

class tally {
 public:
  /// An admitted block: its labels and how many lines it left out. @param first  number of the first of its `count` rows.
  void add_rows(const block& b, std::uint64_t first, std::uint64_t count);
  /// The sorted alerts of an epoch, after all of its rows.
  void add_alerts(const std::vector<finding>& alerts);
  void add_late(std::uint64_t count) { counts_.late += count; }

  const tally_counts& counts() const { return counts_; }
  /// Labels by transaction number, ascending.
  const std::vector<label>& labels() const { return labels_; }
  void restore(const tally_counts& counts, std::vector<label> labels);

 private:
  tally_counts counts_;
  std::vector<label> labels_;
};

}  // namespace txmon
