// apps/txmon/tally.cpp - see tally.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "tally.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace txmon {

void tally::add_rows(const block& b, std::uint64_t first, std::uint64_t count) {
  counts_.transactions += count;
  counts_.skipped += b.skipped;
  for (const label& l : b.labels) {
    labels_.push_back({first + l.row, l.kind});
    ++counts_.fraud;
    if (l.kind > 0) ++counts_.planted[l.kind - 1U];
  }
}

void tally::add_alerts(const std::vector<finding>& alerts) {
  std::set<std::uint64_t> found;
  for (std::size_t i = 0; i < alerts.size(); ++i) {
    const finding& f = alerts[i];
    ++counts_.alerts;
    ++counts_.by_rule[static_cast<std::size_t>(f.fired)];
    ++counts_.by_severity[static_cast<std::size_t>(f.level)];
    counts_.alerts_checksum = checksum_step(counts_.alerts_checksum, f);
    const auto at = std::lower_bound(labels_.begin(), labels_.end(), f.number,
                                     [](const label& l, std::uint64_t n) { return l.row < n; });
    const bool labelled = at != labels_.end() && at->row == f.number;
    if (i == 0 || alerts[i - 1].number != f.number) {
      ++counts_.flagged;
      counts_.hits += labelled ? 1U : 0U;
    }
    if (labelled && at->kind == static_cast<unsigned>(f.fired) + 1U &&
        found.insert(f.number).second)
      ++counts_.found[at->kind - 1U];
  }
}

void tally::restore(const tally_counts& counts, std::vector<label> labels) {
  counts_ = counts;
  labels_ = std::move(labels);
}

}  // namespace txmon
