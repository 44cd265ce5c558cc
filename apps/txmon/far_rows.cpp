// apps/txmon/far_rows.cpp - see far_rows.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "far_rows.hpp"

#include <fmt/format.h>

#include <span>
#include <utility>
#include <vector>

namespace txmon {
namespace {

/// @param out  the rows that leave, ascending; their labels and places go with them
void take_out(parsed& next, std::span<const std::uint16_t> out, const lane_share& lanes) {
  batch& b = *next.cut;
  const bool has_places = next.rows.places.size() == b.rows.size();
  std::vector<transaction> rows;
  std::vector<label> labels;
  std::vector<place> places;
  std::uint64_t gone = 0;
  auto l = next.rows.labels.begin();
  for (std::size_t r = 0; r < b.rows.size(); ++r) {
    const bool leaves = gone < out.size() && out[gone] == r;
    for (; l != next.rows.labels.end() && l->row == r; ++l)
      if (!leaves) labels.push_back({rows.size(), l->kind});
    if (leaves) {
      ++gone;
      continue;
    }
    rows.push_back(b.rows[r]);
    if (!has_places) continue;
    places.push_back(next.rows.places[r]);
    places.back().skipped += gone;
  }
  next.rows.skipped += gone;
  next.rows.labels = std::move(labels);
  next.rows.places = std::move(places);
  b.own = std::move(rows);
  b.rows = b.own;
  cut(b, lanes);
}

/// Leaves the first rows of a block that has places. @param before  where the block begins
void keep_first(parsed& next, std::size_t rows, const lane_share& lanes, const position& before) {
  const place behind = rows == 0 ? place{before} : next.rows.places[rows - 1];
  std::vector<std::uint16_t> rest;
  for (std::size_t r = rows; r < next.cut->rows.size(); ++r)
    rest.push_back(static_cast<std::uint16_t>(r));
  take_out(next, rest, lanes);
  next.rows.skipped = behind.skipped;
  next.after = behind.after;
}

}  // namespace

std::optional<std::string> leave_out_far_rows(parsed& next, const event_order& order,
                                              const lane_share& lanes, const ahead_limit& limit,
                                              const std::string& input, const position& before) {
  constexpr std::size_t reasons_kept = 5;
  if (limit.most_ms == 0) return std::nullopt;
  const auto far = order.too_far(*next.cut, limit.most_ms);
  if (far.empty()) return std::nullopt;
  const auto why = [&](std::size_t n) {
    return fmt::format(
        "{}: transaction {}: its time, {} ms, lies more than {} ms (--most-ahead) above the "
        "greatest before it",
        input, order.next_number() + far[n] - n, next.cut->rows[far[n]].when(), limit.most_ms);
  };
  if (!limit.lenient) {
    auto first = why(0);
    keep_first(next, far.front(), lanes, before);
    return first;
  }
  for (std::size_t n = 0; n < far.size() && next.rows.reasons.size() < reasons_kept; ++n)
    next.rows.reasons.push_back(why(n));
  take_out(next, far, lanes);
  return std::nullopt;
}

}  // namespace txmon
