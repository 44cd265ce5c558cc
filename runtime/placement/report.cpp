// runtime/placement/report.cpp - a placement report as text.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "perdure/placement.hpp"

namespace perdure {
namespace {

std::string quoted(const std::string& s) {
  std::string out = "\"";
  for (const char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}
std::string json_of(const tiers& t) {
  return fmt::format(R"({{"same_worker": {}, "same_cluster": {}, "elsewhere": {}}})", t.same_worker,
                     t.same_cluster, t.elsewhere);
}
std::string line_of(const char* name, const tiers& t) {
  return fmt::format("{:<28}{:>14}{:>9.1f} %{:>9.1f} %{:>9.1f} %\n", name, t.total(),
                     100 * t.share(t.same_worker), 100 * t.share(t.same_cluster),
                     100 * t.share(t.elsewhere));
}

}  // namespace

std::string placement_report::text() const {
  std::string out = fmt::format("{:<28}{:>14}{:>11}{:>11}{:>11}\n", "actors", "slots", "least/wkr",
                                "most/wkr", "moved");
  for (const actor_type& t : types) {
    const auto [least, most] = std::minmax_element(t.at.begin(), t.at.end());
    out +=
        fmt::format("{:<28}{:>14}{:>11}{:>11}{:>11}\n", t.name, t.actors, t.at.empty() ? 0 : *least,
                    t.at.empty() ? 0 : *most, t.wide ? "wide" : fmt::format("{}", t.moved));
  }
  if (!counted) return out;
  out += fmt::format("{:<28}{:>14}{:>11}{:>11}{:>11}\n", "messages", "", "worker", "cluster",
                     "elsewhere");
  out += line_of("sent by actors", sent);
  out += fmt::format("{:<28}{:>14}\n", "sent by hosts", from_hosts);
  if (workers.empty()) return out;
  out += line_of(fmt::format("seen, {} samples", samples).c_str(), seen);
  out += line_of("the same, predicted", predicted);
  std::uint64_t before = 0, after = 0, all = 0;
  for (const worker_load& w : workers) {
    before = std::max(before, w.before);
    after = std::max(after, w.after);
    all += w.after;
  }
  const auto over_average = [&](std::uint64_t load) {
    return all == 0 ? 0.0
                    : static_cast<double>(load) * static_cast<double>(workers.size()) /
                          static_cast<double>(all);
  };
  out +=
      fmt::format("busiest worker: {:.2f} of the average, predicted {:.2f}; kept by timers: {}\n",
                  over_average(before), over_average(after), kept);
  return out;
}

std::string placement_report::json() const {
  std::string out = fmt::format("{{\"counted\": {}, \"types\": [", counted);
  for (std::size_t i = 0; i < types.size(); ++i) {
    const actor_type& t = types[i];
    out += fmt::format(R"({}{{"name": {}, "wide": {}, "actors": {}, "moved": {}, "at": [{}]}})",
                       i == 0 ? "" : ", ", quoted(t.name), t.wide, t.actors, t.moved,
                       fmt::join(t.at, ", "));
  }
  out += fmt::format(
      R"(], "sent": {}, "from_hosts": {}, "samples": {}, "seen": {}, "predicted": {}, "kept": {}, "workers": [)",
      json_of(sent), from_hosts, samples, json_of(seen), json_of(predicted), kept);
  for (std::size_t w = 0; w < workers.size(); ++w)
    out += fmt::format(R"({}{{"before": {}, "after": {}}})", w == 0 ? "" : ", ", workers[w].before,
                       workers[w].after);
  return out + "]}";
}

}  // namespace perdure
