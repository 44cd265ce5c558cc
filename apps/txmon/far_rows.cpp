// apps/txmon/far_rows.cpp - see far_rows.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "far_rows.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "failure.hpp"

namespace txmon {

void leave_out_far_rows(parsed& next, const event_order& order, const lane_share& lanes,
                        const ahead_limit& limit, const std::string& input) {
  constexpr std::size_t reasons_kept = 5;
  if (limit.most_ms == 0) return;
  batch& b = *next.cut;
  const auto far = order.too_far(b, limit.most_ms);
  if (far.empty()) return;

  std::vector<transaction> kept;
  std::vector<label> labels;
  auto out = far.begin();
  auto l = next.rows.labels.begin();
  for (std::size_t r = 0; r < b.rows.size(); ++r) {
    const bool leaves = out != far.end() && *out == r;
    for (; l != next.rows.labels.end() && l->row == r; ++l)
      if (!leaves) labels.push_back({kept.size(), l->kind});
    if (!leaves) {
      kept.push_back(b.rows[r]);
      continue;
    }
    ++out;
    const auto text = fmt::format(
        "{}: transaction {}: its time, {} ms, lies more than {} ms (--most-ahead) above the "
        "greatest before it",
        input, order.next_number() + kept.size(), b.rows[r].when(), limit.most_ms);
    if (!limit.lenient) throw failure{text};
    if (next.rows.reasons.size() < reasons_kept) next.rows.reasons.push_back(text);
  }
  next.rows.skipped += far.size();
  next.rows.labels = std::move(labels);
  b.own = std::move(kept);
  b.rows = b.own;
  cut(b, lanes);
}

}  // namespace txmon
