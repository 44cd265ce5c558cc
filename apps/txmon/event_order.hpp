// apps/txmon/event_order.hpp - numbers, lateness and the watermark: what a block gets as it passes the gate.
// Why: an order that depends on the input alone makes actors, oracle and a resumed run comparable (docs/adr/020).
// Invariant: blocks are admitted one after another in the order of the input; a block whose times lie in order costs O(1).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "lane_share.hpp"
#include "source.hpp"
#include "transaction.hpp"

namespace txmon {

/// (time, number, debit before credit): the order in which an account takes its postings.
inline bool handled_before(const transaction& a, const transaction& b) {
  if (a.when() != b.when()) return a.when() < b.when();
  if (a.number.get() != b.number.get()) return a.number.get() < b.number.get();
  return a.direction() < b.direction();
}

/// A parsed block, cut by lanes. Built by any thread, completed by event_order::admit.
struct batch {
  std::vector<transaction> rows;  ///< numbers are not in them: row r has number `first` + r
  /// Copies for the lanes, side by side, since a lane that picked them from `rows` would move all of these to its core:
  /// the number is the row, copies for credited accounts have their bit set.
  std::vector<transaction> postings;
  std::vector<std::uint32_t> ends;  ///< by lane: where its postings end and the next lane's begin
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = 0;
  std::int64_t deepest = 0;  ///< how far a row's time lies below an earlier row's, at most
  std::uint64_t first = 0;
  std::int64_t watermark = 0;       ///< what lies at or below it may be handled
  std::vector<std::uint16_t> late;  ///< rows that came too late, ascending

  std::span<const transaction> postings_of(std::uint32_t lane) const {
    const std::size_t begin = lane == 0 ? 0 : ends[lane - 1];
    return std::span{postings}.subspan(begin, ends[lane] - begin);
  }
  transaction numbered(std::size_t row) const {
    transaction t = rows[row];
    t.number = wide64::of(first + row);
    return t;
  }
};

/// All that needs no order: may run side by side. Cuts b.rows for the lanes; what else the batch had is forgotten,
/// its memory used again.
inline void cut(batch& b, const lane_share& lanes) {
  b.earliest = std::numeric_limits<std::int64_t>::max();
  b.greatest = b.deepest = b.watermark = 0;
  b.first = 0;
  b.late.clear();
  b.ends.assign(lanes.lanes(), 0);
  for (const transaction& t : b.rows) {
    const std::int64_t when = t.when();
    b.deepest = std::max(b.deepest, b.greatest - when);
    b.greatest = std::max(b.greatest, when);
    b.earliest = std::min(b.earliest, when);
    ++b.ends[lanes.of(t.account.get())];
    ++b.ends[lanes.of(t.counterparty.get())];
  }
  std::exclusive_scan(b.ends.begin(), b.ends.end(), b.ends.begin(), 0U);  // where each begins
  b.postings.resize(2 * b.rows.size());
  for (std::size_t r = 0; r < b.rows.size(); ++r) {
    transaction posting = b.rows[r];
    posting.number = wide64::of(r);
    b.postings[b.ends[lanes.of(posting.account.get())]++] = posting;
    posting.type |= transaction::credit_bit;
    b.postings[b.ends[lanes.of(posting.counterparty.get())]++] = posting;
  }
}
inline batch cut(std::vector<transaction> rows, const lane_share& lanes) {
  batch b;
  b.rows = std::move(rows);
  cut(b, lanes);
  return b;
}

class event_order {
 public:
  /// @param lateness_ms  how far an event time may lie behind the greatest before it.
  explicit event_order(std::int64_t lateness_ms) : lateness_{lateness_ms} {}

  void admit(batch& b) {
    b.first = next_;
    next_ += b.rows.size();
    if (b.earliest < greatest_ - lateness_ || b.deepest > lateness_) {
      std::int64_t before = greatest_;
      for (std::size_t r = 0; r < b.rows.size(); ++r) {
        const std::int64_t when = b.rows[r].when();
        if (when < before - lateness_) b.late.push_back(static_cast<std::uint16_t>(r));
        before = std::max(before, when);
      }
    }
    greatest_ = std::max(greatest_, b.greatest);
    b.watermark = greatest_ - lateness_;
  }

  std::uint64_t next_number() const { return next_; }
  std::int64_t greatest() const { return greatest_; }
  std::int64_t watermark() const { return greatest_ - lateness_; }
  /// Goes on from a checkpoint.
  void resume(std::uint64_t next_number, std::int64_t greatest) {
    next_ = next_number;
    greatest_ = greatest;
  }

 private:
  std::int64_t lateness_, greatest_ = 0;
  std::uint64_t next_ = 1;
};

}  // namespace txmon
