// apps/txmon/slices.cpp - see slices.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "slices.hpp"

#include <memory>
#include <utility>

namespace txmon {
namespace {

/// Rows begin .. end - 1 of a block with places.
parsed slice_of(const parsed& whole, std::size_t begin, std::size_t end, const lane_share& lanes) {
  const auto rows = whole.cut->rows.subspan(begin, end - begin);
  const auto& places = whole.rows.places;
  const bool last = end == whole.cut->rows.size();
  parsed out;
  out.cut = std::make_shared<batch>(cut(std::vector<transaction>(rows.begin(), rows.end()), lanes));
  out.after = last ? whole.after : places[end - 1].after;
  out.rows.skipped = (last ? whole.rows.skipped : places[end - 1].skipped) -
                     (begin == 0 ? 0 : places[begin - 1].skipped);
  if (begin == 0) out.rows.reasons = whole.rows.reasons;
  for (const label& l : whole.rows.labels)
    if (l.row >= begin && l.row < end) out.rows.labels.push_back({l.row - begin, l.kind});
  return out;
}

}  // namespace

std::vector<parsed> in_slices(parsed whole, double width_ms, const lane_share& lanes) {
  const auto rows = whole.cut->rows;
  const auto away = [&](std::size_t from, std::size_t to) {
    return static_cast<double>(rows[to].when() - rows[from].when());
  };
  std::vector<parsed> out;
  std::size_t begin = 0;
  for (std::size_t r = 1; whole.rows.places.size() == rows.size() && r < rows.size(); ++r) {
    if (away(begin, r) <= width_ms) continue;
    out.push_back(slice_of(whole, begin, r, lanes));
    begin = r;
  }
  if (begin == 0) {
    out.push_back(std::move(whole));
  } else {
    out.push_back(slice_of(whole, begin, rows.size(), lanes));
  }
  return out;
}

}  // namespace txmon
