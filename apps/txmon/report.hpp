// apps/txmon/report.hpp - result.json and the summary for people.
// Why: one run leaves everything that is needed to judge it: counts, checksums, places, times, labels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "monitor.hpp"
#include "tally.hpp"

namespace txmon {

/// Everything that result.json is made from.
struct run_report {
  std::string input, alerts_path;
  std::vector<nlohmann::ordered_json> rules;  ///< by version
  std::vector<std::string> warnings;
  tally_counts counts;
  std::uint64_t accounts = 0, accounts_checksum = 0, epochs = 0, seed = 0;
  std::uint32_t ingest_threads = 1, lanes = 1;
  std::int64_t lateness_ms = 0, most_ahead_ms = 0;
  run_figures figures;
  double start_ms = 0, stream_ms = 0, total_ms = 0;
  bool resumed = false;
  bool verified = false;  ///< the oracle ran and gave the same; if it did not, there is no report
};
nlohmann::ordered_json to_json(const run_report& r);

/// A table for people.
std::string to_text(const run_report& r);

}  // namespace txmon
