// apps/txmon/event_order.hpp - numbers, lateness and the watermark: what a block gets as it passes the gate.
// Why: an order that depends on the input alone makes actors, oracle and a resumed run comparable (docs/adr/020).
// Invariant: blocks are admitted one after another in the order of the input; a block whose times lie in order costs O(1).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
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

/// One side of a row of a block.
class posting {
 public:
  posting() = default;
  constexpr posting(std::size_t row, side of)
      : bits_{static_cast<std::uint16_t>(row << 1U | (of == side::credit ? 1U : 0U))} {}
  constexpr std::size_t row() const { return bits_ >> 1U; }
  constexpr side of() const { return (bits_ & 1U) != 0 ? side::credit : side::debit; }

 private:
  std::uint16_t bits_;
};
static_assert(2 * block_rows <= 1U << 16U);

/// A parsed block, cut by lanes. Built by any thread, completed by event_order::admit.
struct batch {
  std::vector<transaction> own;       ///< the rows, unless they lie where they were found
  std::span<const transaction> rows;  ///< numbers are not in them: row r has number `first` + r
  /// What each lane has to send, in the order of the rows; a lane's begin `apart` behind those of the one before. Two bytes
  /// each: copies of the rows would be written by one core and read by another, as much memory as all the rest together.
  std::vector<posting> postings;
  std::size_t apart = 0;
  std::vector<std::uint32_t> counts;  ///< by lane
  std::int64_t earliest = std::numeric_limits<std::int64_t>::max();
  std::int64_t greatest = 0;
  std::int64_t deepest = 0;  ///< how far a row's time lies below an earlier row's, at most
  std::uint64_t first = 0;
  std::int64_t watermark = 0;       ///< what lies at or below it may be handled
  std::vector<std::uint16_t> late;  ///< rows that came too late, ascending

  batch() = default;
  batch(batch&&) = default;  // `rows` may lie in `own`
  batch& operator=(batch&&) = default;

  std::span<const posting> postings_of(std::uint32_t lane) const {
    return std::span{postings}.subspan(lane * apart, counts[lane]);
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
  constexpr std::size_t a_line =
      64 / sizeof(posting);  // so that lanes' ends do not share a set of a cache
  b.apart = 2 * b.rows.size() + a_line;
  if (b.postings.size() < lanes.lanes() * b.apart) b.postings.resize(lanes.lanes() * b.apart);
  b.counts.assign(lanes.lanes(), 0);
  const auto give = [&b, all = b.postings.data()](std::uint32_t lane, posting p) {
    all[lane * b.apart + b.counts[lane]++] = p;
  };
  for (std::size_t r = 0; r < b.rows.size(); ++r) {
    const transaction& t = b.rows[r];
    const std::int64_t when = t.when();
    b.deepest = std::max(b.deepest, b.greatest - when);
    b.greatest = std::max(b.greatest, when);
    b.earliest = std::min(b.earliest, when);
    give(lanes.of(t.account.get()), {r, side::debit});
    give(lanes.of(t.counterparty.get()), {r, side::credit});
  }
}
inline batch cut(std::vector<transaction> rows, const lane_share& lanes) {
  batch b;
  b.own = std::move(rows);
  b.rows = b.own;
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

  /// Rows of a block, before it is admitted, whose time lies more than `most_ms` above the greatest before them; these rows
  /// themselves set no mark, and the first row of all has none to be held against. Ascending.
  std::vector<std::uint16_t> too_far(const batch& b, std::int64_t most_ms) const {
    std::vector<std::uint16_t> out;
    bool begun = next_ > 1;
    if (begun && b.greatest - greatest_ <= most_ms) return out;
    std::int64_t before = greatest_;
    for (std::size_t r = 0; r < b.rows.size(); ++r) {
      const std::int64_t when = b.rows[r].when();
      if (begun && when - before > most_ms) {
        out.push_back(static_cast<std::uint16_t>(r));
      } else {
        before = std::max(before, when);
        begun = true;
      }
    }
    return out;
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
