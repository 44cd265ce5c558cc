// apps/txmon/lane.cpp - see lane.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "lane.hpp"

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <optional>
#include <utility>

namespace txmon {
namespace {

/// The memory of a row that is read soon: another core has read it last.
void ask_for(const transaction& row) {
  constexpr int second_cache = 2;  // the first one keeps few lines under way
  const auto* at = reinterpret_cast<const char*>(&row);
  __builtin_prefetch(at, 0, second_cache);
  __builtin_prefetch(at + sizeof row - 1, 0, second_cache);
}

}  // namespace

lane::lane(std::uint32_t index, order_ring& orders, account_port& port, const accounts& names,
           std::shared_ptr<const rule_schedule> schedule, bool fresh)
    : index_{index},
      orders_{orders},
      port_{port},
      names_{names},
      schedule_{std::move(schedule)},
      fresh_{fresh},
      thread_{[this](const std::stop_token& stopping) { run(stopping); }} {}

lane::~lane() {
  thread_.request_stop();
  orders_.wake();
}

void lane::run(const std::stop_token& stopping) {
  stopping_ = stopping;
  go_on_to(0);
  try {
    for (std::uint64_t next = 0;;) {
      const std::uint64_t end = orders_.wait_for(next, stopping);
      if (end == next) return;
      next = carry_out(next, end);
      orders_.pass(index_, next);
    }
  } catch (...) {
    orders_.fail(std::current_exception());
  }
}

std::uint64_t lane::carry_out(std::uint64_t number, std::uint64_t end) {
  // Released together, whatever stands between them: a schedule agrees with the one before it up to the watermark of the
  // blocks before it, and a pace comes before the first of them.
  std::optional<std::int64_t> upto;
  for (std::size_t postings = 0; number != end && postings < most_taken; ++number) {
    const order& o = orders_[number];
    if (o.schedule) {
      schedule_ = o.schedule;
      go_on_to(version_);
    }
    if (o.pace) pace_ = *o.pace;
    if (o.rows) postings += o.rows->postings_of(index_).size();
    if (o.rows && passes(*o.rows)) {
      pass(*o.rows);
    } else if (o.rows) {
      take(*o.rows);
      upto = o.rows->watermark;
    }
    if (o.all) {
      release(std::numeric_limits<std::int64_t>::max());
      upto.reset();
    }
  }
  if (upto) release(*upto);
  flush();
  return number;
}

bool lane::passes(const batch& b) const {
  return held_.empty() && b.late.empty() && b.deepest == 0 && b.greatest <= b.watermark;
}

void lane::pass(const batch& b) {
  const auto all = b.postings_of(index_);
  constexpr std::size_t ahead = 32;
  for (std::size_t i = 0; i < std::min(ahead, all.size()); ++i) ask_for(b.rows[all[i].row()]);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i + ahead < all.size()) ask_for(b.rows[all[i + ahead].row()]);
    const std::size_t row = all[i].row();
    put(b.rows[row], b.first + row, all[i].of());
  }
}

void lane::take(const batch& b) {
  bool ordered = true;
  for (const posting p : b.postings_of(index_)) {
    if (!b.late.empty() && std::binary_search(b.late.begin(), b.late.end(), p.row())) continue;
    transaction t = b.numbered(p.row());
    if (p.of() == side::credit) t.type |= transaction::credit_bit;
    ordered = ordered && (held_.empty() || handled_before(held_.back(), t));
    held_.push_back(t);
  }
  if (!ordered) std::sort(held_.begin(), held_.end(), handled_before);
}

void lane::release(std::int64_t watermark) {
  auto t = held_.begin();
  for (; t != held_.end() && t->when() <= watermark; ++t) put(*t, t->number.get(), t->direction());
  held_.erase(held_.begin(), t);
}

void lane::put(const transaction& row, std::uint64_t number, side of) {
  const std::int64_t when = row.when();
  while (when >= next_version_ms_) {
    flush();  // a batch knows one version: its terms go before all of its postings
    go_on_to(version_ + 1);
  }
  if (pace_.speed > 0) wait_until_due(when);
  transaction& t = ready_[filled_];
  t = row;
  t.number = wide64::of(number);
  if (of == side::credit) t.type |= transaction::credit_bit;
  const std::uint32_t id = of == side::debit ? t.account.get() : t.counterparty.get();
  if (!same_terms_) check_terms(id);
  to_[filled_++] = id;
  if (filled_ == most_sent) flush();
}

void lane::wait_until_due(std::int64_t time_ms) {
  const auto due = pace_.due(time_ms);
  if (due <= std::chrono::steady_clock::now()) return;
  flush();
  std::mutex unshared;
  std::unique_lock lock{unshared};
  std::condition_variable_any never;
  never.wait_until(lock, stopping_, due, [] { return false; });  // a stop wakes it
}

void lane::go_on_to(std::size_t version) {
  version_ = version;
  next_version_ms_ = version + 1 < schedule_->size() ? schedule_->from_ms(version + 1)
                                                     : std::numeric_limits<std::int64_t>::max();
  // to look each one up takes a trip to memory
  same_terms_ = fresh_ && version == 0 && !schedule_->names_customers(0);
}

void lane::check_terms(std::uint32_t id) {
  if (id >= has_.size()) has_.resize(id + std::size_t{id} / 2 + 1024);
  static_assert(rule_schedule::most_changes + 1 <= std::numeric_limits<std::uint16_t>::max());
  const auto wanted = static_cast<std::uint16_t>(version_ + 1);
  if (has_[id] == wanted) return;
  const bool unsaid = fresh_ && has_[id] == 0;
  has_[id] = wanted;
  const terms& now = schedule_->names_customers(version_)
                         ? schedule_->of(version_, names_.name_of(id))
                         : schedule_->common(version_);
  if (unsaid && now == schedule_->common(0)) return;  // it was spawned with these
  terms_to_.push_back(id);
  terms_.push_back(now);
}

void lane::flush() {
  if (!terms_.empty()) port_.send(terms_to_, terms_);
  terms_.clear();
  terms_to_.clear();
  if (filled_ != 0)
    port_.send(std::span{to_}.first(filled_), std::span<const transaction>{ready_}.first(filled_));
  filled_ = 0;
}

}  // namespace txmon
