// tests/generated/report.cpp - see report.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tests/generated/report.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <set>

namespace perdure::generated {

ordered_json totals_of(const ordered_json& results) {
  std::set<std::string> free, ordered;
  std::uint64_t eventful = 0, disagree = 0, wraps = 0, spilled = 0, dead = 0;
  for (const ordered_json& r : results) {
    const auto name = r.at("program").get<std::string>();
    (name.starts_with("ordered") ? ordered : free).insert(name);
    disagree += r.value("agrees", false) ? 0 : 1;
    const auto w = r.value("wraps", std::uint64_t{0}), s = r.value("spilled", std::uint64_t{0}),
               d = r.value("dead", std::uint64_t{0});
    eventful += w != 0 && s != 0 && d != 0 ? 1 : 0;
    wraps += w;
    spilled += s;
    dead += d;
  }
  return {{"programs", free.size() + ordered.size()},
          {"order_free", free.size()},
          {"order_dependent", ordered.size()},
          {"runs", results.size()},
          {"runs_with_wraps_spills_and_dead_letters", eventful},
          {"disagree", disagree},
          {"wraps", wraps},
          {"spilled", spilled},
          {"dead", dead}};
}

verdict verdict_of(const ordered_json& totals) {
  const auto runs = totals.at("runs").get<std::uint64_t>();
  const auto eventful = totals.at("runs_with_wraps_spills_and_dead_letters").get<std::uint64_t>();
  const bool good = totals.at("disagree") == 0 && runs != 0 && 2 * eventful >= runs;
  return good ? verdict::all_agree : verdict::some_do_not;
}

std::string sentence(const ordered_json& totals) {
  auto n = [&](const char* key) { return totals.at(key).get<std::uint64_t>(); };
  return fmt::format(
      "{} order-free and {} order-dependent programs, {} runs: {} with wraps, spills and dead letters; {} disagree\n",
      n("order_free"), n("order_dependent"), n("runs"),
      n("runs_with_wraps_spills_and_dead_letters"), n("disagree"));
}

void joined_report::add(const std::string& header, int code, const ordered_json& report) {
  ++headers_;
  const bool whole = report.is_object() && report.contains("results");
  if (whole)
    results_.insert(results_.end(), report.at("results").begin(), report.at("results").end());
  std::string why;
  if (!whole) {
    why = "it left no report";
  } else if (code == static_cast<int>(verdict::not_possible)) {
    ++impossible_;
  } else if (code != static_cast<int>(verdict_of(totals_of(report.at("results"))))) {
    why = "its runs do not explain its exit code";
  }
  if (!why.empty()) failed_.push_back({{"header", header}, {"exit_code", code}, {"why", why}});
}

void joined_report::write(ordered_json& to) const {
  to["totals"] = totals();
  to["headers"] = headers_;
  to["failed_processes"] = failed_;
  to["results"] = results_;
}

verdict joined_report::exit_code() const {
  if (!failed_.empty()) return verdict::some_do_not;
  if (impossible_ != 0)
    return impossible_ == headers_ ? verdict::not_possible : verdict::some_do_not;
  return verdict_of(totals());
}

}  // namespace perdure::generated
