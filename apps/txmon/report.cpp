// apps/txmon/report.cpp - see report.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace txmon {
namespace {

using json = nlohmann::ordered_json;

/// part / whole, or null where there is no whole.
json ratio(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return nullptr;
  return static_cast<double>(part) / static_cast<double>(whole);
}

std::string percent(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return "-";
  return fmt::format("{:.1f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

json labels_json(const tally_counts& c) {
  json planted;
  for (unsigned r = 0; r < rule_count; ++r) {
    if (c.planted[r] > 0)
      planted[name_of(static_cast<rule>(r))] = {{"planted", c.planted[r]}, {"found", c.found[r]}};
  }
  return {{"fraud", c.fraud},
          {"flagged", c.flagged},
          {"true_positives", c.hits},
          {"false_positives", c.flagged - c.hits},
          {"false_negatives", c.fraud - c.hits},
          {"precision", ratio(c.hits, c.flagged)},
          {"recall", ratio(c.hits, c.fraud)},
          {"by_kind", planted}};
}

json messages_json(const perdure::stats& s) {
  return {{"sent", s.sent},
          {"handled", s.handled},
          {"dead_letters", s.dead_total()},
          {"to_mailbox", s.to_mailboxes},
          {"batches", s.batches},
          {"spilled", s.spilled}};
}

}  // namespace

json to_json(const run_report& r) {
  json by_rule, by_severity;
  for (unsigned i = 0; i < rule_count; ++i)
    by_rule[name_of(static_cast<rule>(i))] = r.counts.by_rule[i];
  for (unsigned i = 1; i < r.counts.by_severity.size(); ++i)
    by_severity[name_of(static_cast<severity>(i))] = r.counts.by_severity[i];
  const auto& at = r.figures.layout;
  return {{"program", "txmon"},
          {"input", r.input},
          {"alerts_in", r.alerts_path},
          {"transactions", r.counts.transactions},
          {"skipped_lines", r.counts.skipped},
          {"late", r.counts.late},
          {"warnings", r.warnings},
          {"accounts", r.accounts},
          {"alerts", r.counts.alerts},
          {"alerts_by_rule", by_rule},
          {"alerts_by_severity", by_severity},
          {"labels", labels_json(r.counts)},
          {"checksum",
           {{"accounts", fmt::format("{:016x}", r.accounts_checksum)},
            {"alerts", fmt::format("{:016x}", r.counts.alerts_checksum)}}},
          {"verified_against_oracle", r.verified},
          {"resumed", r.resumed},
          {"rules", r.rules},
          {"lateness_ms", r.lateness_ms},
          {"most_ahead_ms", r.most_ahead_ms},
          {"ingest_threads", r.ingest_threads},
          {"lanes_of_senders", r.lanes},
          {"epochs", r.epochs},
          {"backend", at.backend},
          {"device", at.device},
          {"workers", at.workers},
          {"lanes", at.lanes},
          {"seed", r.seed},
          {"messages", messages_json(r.figures.messages)},
          {"times_ms", {{"start", r.start_ms}, {"stream", r.stream_ms}, {"total", r.total_ms}}}};
}

std::string to_text(const run_report& r) {
  const auto& c = r.counts;
  std::string out = fmt::format("{:<16}{:>10}{:>12}{:>10}\n", "rule", "alerts", "planted", "found");
  for (unsigned i = 0; i < rule_count; ++i) {
    out += fmt::format("{:<16}{:>10}", name_of(static_cast<rule>(i)), c.by_rule[i]);
    if (c.planted[i] > 0)
      out += fmt::format("{:>12}{:>10}", c.planted[i], percent(c.found[i], c.planted[i]));
    out += "\n";
  }
  out += fmt::format("{:<16}{:>10}   medium {}, high {}, critical {}\n", "all", c.alerts,
                     c.by_severity[1], c.by_severity[2], c.by_severity[3]);
  out += fmt::format("{} transactions, {} accounts, {} late, {} lines skipped\n", c.transactions,
                     r.accounts, c.late, c.skipped);
  if (c.fraud > 0) {
    out += fmt::format(
        "labels: {} frauds, {} flagged transactions, {} of them frauds: precision {}, recall {}\n",
        c.fraud, c.flagged, c.hits, percent(c.hits, c.flagged), percent(c.hits, c.fraud));
  }
  out += fmt::format("alerts {:016x}, states {:016x}, {} on {}, {:.0f} ms{}{}\n", c.alerts_checksum,
                     r.accounts_checksum, r.figures.layout.backend, r.figures.layout.device,
                     r.total_ms, r.resumed ? ", resumed" : "",
                     r.verified ? ", equal to the oracle" : "");
  return out;
}

}  // namespace txmon
