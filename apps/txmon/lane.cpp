// apps/txmon/lane.cpp - see lane.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "lane.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace txmon {
namespace {

/// Whoever waits for another thread looks so often before he looks at the clock, and leaves the processor's other thread,
/// which may be the one that he waits for, its share in between.
constexpr int looks = 16;
void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}
template <class There>
void look_until(std::chrono::steady_clock::time_point end, There there) {
  do {
    for (int i = 0; i < looks; ++i) {
      if (there()) return;
      pause();
    }
  } while (std::chrono::steady_clock::now() < end);
}

/// The memory of a row that is read soon: another core has read it last.
void ask_for(const transaction& row) {
  constexpr int second_cache = 2;  // the first one keeps few lines under way
  const auto* at = reinterpret_cast<const char*>(&row);
  __builtin_prefetch(at, 0, second_cache);
  __builtin_prefetch(at + sizeof row - 1, 0, second_cache);
}

}  // namespace

lane::lane(std::uint32_t index, account_port& port, const accounts& names,
           std::shared_ptr<const rule_schedule> schedule, bool fresh, std::chrono::microseconds hot)
    : index_{index},
      port_{port},
      names_{names},
      schedule_{std::move(schedule)},
      fresh_{fresh},
      hot_{hot},
      thread_{[this](const std::stop_token& stopping) { run(stopping); }} {}

lane::~lane() {
  thread_.request_stop();
  {
    const std::lock_guard lock{mutex_};
    queue_.clear();
  }
  changed_.notify_all();
}

void lane::push(std::shared_ptr<const batch> rows) { enqueue({.rows = std::move(rows)}); }
void lane::change(std::shared_ptr<const rule_schedule> schedule) {
  enqueue({.schedule = std::move(schedule)});
}
void lane::keep_pace(const pace& p) { enqueue({.pace = p}); }
void lane::release_all() { enqueue({.all = true}); }

std::unique_lock<std::mutex> lane::locked() {
  constexpr int tries = 200;
  std::unique_lock lock{mutex_, std::defer_lock};
  for (int i = 0; hot_.count() > 0 && i < tries; ++i) {
    if (lock.try_lock()) return lock;
    pause();
  }
  lock.lock();
  return lock;
}

void lane::look_for_room() const {
  // several times what a lane takes for a small block; longer, and it may be this thread that keeps it from its processor
  constexpr std::chrono::microseconds longest{20};
  look_until(std::chrono::steady_clock::now() + std::min(hot_, longest),
             [this] { return queued_.load(std::memory_order_relaxed) < most_queued; });
}

void lane::enqueue(order o) {
  if (hot_.count() > 0) look_for_room();
  std::unique_lock lock = locked();
  changed_.wait(lock, [&] { return queue_.size() < most_queued || failed_; });
  if (failed_) std::rethrow_exception(failed_);
  queue_.push_back(std::move(o));
  queued_.store(queue_.size(), std::memory_order_relaxed);
  const auto done = std::exchange(done_, {});  // freed behind the lock's end
  lock.unlock();
  changed_.notify_all();
}

void lane::drain() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [&] { return (queue_.empty() && !busy_) || failed_; });
  if (failed_) std::rethrow_exception(failed_);
}

void lane::look_for_work(const std::stop_token& stopping) const {
  look_until(std::chrono::steady_clock::now() + hot_, [&] {
    return queued_.load(std::memory_order_relaxed) != 0 || stopping.stop_requested();
  });
}

void lane::take_orders(std::vector<order>& next) {
  for (order& o : next) done_.push_back(std::move(o));
  next.clear();
  for (std::size_t postings = 0; !queue_.empty() && postings < most_taken; queue_.pop_front()) {
    if (queue_.front().rows) postings += queue_.front().rows->postings_of(index_).size();
    next.push_back(std::move(queue_.front()));
  }
  queued_.store(queue_.size(), std::memory_order_relaxed);
}

void lane::carry_out(const std::vector<order>& orders) {
  // Released together, whatever stands between them: a schedule agrees with the one before it up to the watermark of the
  // blocks before it, and a pace comes before the first of them.
  std::optional<std::int64_t> upto;
  for (const order& o : orders) {
    if (o.schedule) {
      schedule_ = o.schedule;
      go_on_to(version_);
    }
    if (o.pace) pace_ = *o.pace;
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
}

void lane::run(const std::stop_token& stopping) {
  stopping_ = stopping;
  go_on_to(0);
  std::vector<order> next;
  for (bool idle = false;; idle = true) {
    if (idle && hot_.count() > 0) {
      {
        const auto lock = locked();
        busy_ = !queue_.empty();
      }
      changed_.notify_all();
      look_for_work(stopping);
    }
    {
      std::unique_lock lock = locked();
      busy_ = false;
      changed_.notify_all();
      changed_.wait(lock, [&] { return !queue_.empty() || stopping.stop_requested(); });
      if (stopping.stop_requested()) return;
      take_orders(next);
      busy_ = true;
    }
    changed_.notify_all();
    try {
      carry_out(next);
    } catch (...) {
      const std::lock_guard lock{mutex_};
      failed_ = std::current_exception();
      changed_.notify_all();
      return;
    }
  }
}

bool lane::passes(const batch& b) const {
  return held_.empty() && b.late.empty() && b.deepest == 0 && b.greatest <= b.watermark;
}

void lane::pass(const batch& b) {
  const auto all = b.postings_of(index_);
  constexpr std::size_t ahead = 32;
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
  std::unique_lock lock{mutex_};  // a stop wakes it
  changed_.wait_until(lock, due, [&] { return stopping_.stop_requested(); });
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
