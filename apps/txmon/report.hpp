// apps/txmon/report.hpp - alerts.jsonl and result.json.
// Why: one run leaves everything that is needed to judge it: counts, checksums, places, times, labels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "accounts.hpp"
#include "monitor.hpp"
#include "outcome.hpp"

namespace txmon {

/// How the flagged transactions compare with the input's labels; a transaction with any alert is flagged.
struct label_score {
  std::uint64_t fraud = 0, flagged = 0, hits = 0;
};
/// @param fraud  the label of sequence number i + 1. @param alerts  sorted.
label_score score(const std::vector<bool>& fraud, const std::vector<finding>& alerts);

/// Everything that result.json is made from.
struct run_report {
  std::string input;
  rules limits;
  std::uint64_t transactions = 0, seed = 0;
  outcome actors;
  label_score labels;
  run_figures figures;
  double start_ms = 0, stream_ms = 0, finish_ms = 0, total_ms = 0;
  bool verified = false;  ///< the oracle ran and gave the same; if it did not, there is no report
};
nlohmann::ordered_json to_json(const run_report& r);

/// One alert as a line of alerts.jsonl, with its line feed.
std::string to_line(const finding& f, const accounts& names);

/// The summary for people, a few lines.
std::string to_text(const run_report& r);

}  // namespace txmon
