// apps/txmon/report.cpp - see report.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "rules_file.hpp"

namespace txmon {
namespace {

using json = nlohmann::ordered_json;

std::array<std::uint64_t, rule_count> count_by_rule(const std::vector<finding>& alerts) {
  std::array<std::uint64_t, rule_count> n{};
  for (const auto& f : alerts) ++n[static_cast<std::size_t>(f.fired)];
  return n;
}

/// part / whole, or null where there is no whole.
json ratio(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return nullptr;
  return static_cast<double>(part) / static_cast<double>(whole);
}

json labels_json(const label_score& l) {
  return {{"fraud", l.fraud},
          {"flagged", l.flagged},
          {"true_positives", l.hits},
          {"false_positives", l.flagged - l.hits},
          {"false_negatives", l.fraud - l.hits},
          {"precision", ratio(l.hits, l.flagged)},
          {"recall", ratio(l.hits, l.fraud)}};
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

label_score score(const std::vector<bool>& fraud, const std::vector<finding>& alerts) {
  label_score l;
  for (const bool f : fraud) l.fraud += f ? 1U : 0U;
  std::uint64_t last = 0;
  for (const auto& f : alerts) {
    if (f.sequence == last) continue;
    last = f.sequence;
    ++l.flagged;
    if (fraud[f.sequence - 1]) ++l.hits;
  }
  return l;
}

json to_json(const run_report& r) {
  const auto by_rule = count_by_rule(r.actors.alerts);
  json counts;
  for (unsigned i = 0; i < rule_count; ++i) counts[name_of(static_cast<rule>(i))] = by_rule[i];
  const auto& at = r.figures.layout;
  return {{"program", "txmon"},
          {"input", r.input},
          {"transactions", r.transactions},
          {"accounts", r.actors.accounts.size()},
          {"alerts", r.actors.alerts.size()},
          {"alerts_by_rule", counts},
          {"labels", labels_json(r.labels)},
          {"checksum",
           {{"accounts", fmt::format("{:016x}", checksum(r.actors.accounts))},
            {"alerts", fmt::format("{:016x}", checksum(r.actors.alerts))}}},
          {"verified_against_oracle", r.verified},
          {"rules", to_json(r.limits)},
          {"backend", at.backend},
          {"device", at.device},
          {"workers", at.workers},
          {"lanes", at.lanes},
          {"seed", r.seed},
          {"messages", messages_json(r.figures.messages)},
          {"times_ms",
           {{"start", r.start_ms},
            {"stream", r.stream_ms},
            {"finish", r.finish_ms},
            {"total", r.total_ms}}}};
}

std::string to_line(const finding& f, const accounts& names) {
  // Names are letters and digits only (paysim_reader), so nothing needs escaping.
  return fmt::format(
      R"({{"transaction":{},"account":"{}","rule":"{}","side":"{}","time_ms":{},"value":{},"limit":{}}})"
      "\n",
      f.sequence, names.name_of(f.account), name_of(f.fired), name_of(f.direction), f.time_ms,
      f.value, f.limit);
}

std::string to_text(const run_report& r) {
  const auto n = count_by_rule(r.actors.alerts);
  const auto& l = r.labels;
  return fmt::format(
      "{} transactions, {} accounts, {} alerts (amount {}, velocity {}, deviation {})\n"
      "labels: {} of {} flagged transactions are fraud, {} of {} frauds are flagged\n"
      "states {:016x}, {} on {}, {:.0f} ms{}\n",
      r.transactions, r.actors.accounts.size(), r.actors.alerts.size(), n[0], n[1], n[2], l.hits,
      l.flagged, l.hits, l.fraud, checksum(r.actors.accounts), r.figures.layout.backend,
      r.figures.layout.device, r.total_ms, r.verified ? ", equal to the oracle" : "");
}

}  // namespace txmon
