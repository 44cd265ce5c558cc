// apps/txmon/bench/sliced_answer.cpp - see sliced_answer.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "sliced_answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "account_view.hpp"
#include "failure.hpp"
#include "oracle.hpp"
#include "rule_schedule.hpp"

namespace txmon::bench {

sliced_answer::sliced_answer(const workload& w, std::vector<finding> alerts, const settings& s)
    : w_{w}, s_{s} {
  const std::size_t slices = (w.accounts + std::size_t{s.slice} - 1) / s.slice;
  rows_of_.resize(slices);
  alerts_of_.resize(slices);
  for (auto& rows : rows_of_) rows.reserve(2 * w.rows.size() / slices * 17 / 16 + 16);
  for (std::size_t r = 0; r < w.rows.size(); ++r) {
    const std::uint32_t from = w.rows[r].account.get() / s.slice,
                        to = w.rows[r].counterparty.get() / s.slice;
    rows_of_[from].push_back(static_cast<std::uint32_t>(r));
    if (to != from) rows_of_[to].push_back(static_cast<std::uint32_t>(r));
  }
  for (finding& f : alerts) {
    if (f.account >= w.accounts)
      throw failure{fmt::format("an alert names account {} of {}", f.account, w.accounts),
                    exit_code::different};
    alerts_of_[f.account / s.slice].push_back(std::move(f));
  }
  try {
    for (std::uint32_t i = 0; i < s.threads; ++i) threads_.emplace_back([this] { run(); });
  } catch (...) {  // no thread to be had: those that were made wait for work
    end();
    throw;
  }
}

void sliced_answer::end() noexcept {
  const std::lock_guard lock{mutex_};
  ended_ = true;
  changed_.notify_all();
}

void sliced_answer::take(std::span<const account> some) {
  while (!some.empty()) {
    filling_.states.reserve(s_.slice);
    const auto n = std::min(some.size(), s_.slice - filling_.states.size());
    filling_.states.insert(filling_.states.end(), some.begin(),
                           some.begin() + static_cast<std::ptrdiff_t>(n));
    some = some.subspan(n);
    taken_ += n;
    if (filling_.states.size() == s_.slice) hand_over();
  }
}

void sliced_answer::hand_over() {
  std::unique_lock lock{mutex_};
  changed_.wait(lock, [&] { return !waiting_; });
  waiting_ = std::exchange(filling_, {filling_.slice + 1, {}});
  changed_.notify_all();
}

void sliced_answer::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [&] { return waiting_ || ended_; });
    if (!waiting_) return;
    const part p = std::move(*waiting_);
    waiting_.reset();
    changed_.notify_all();
    lock.unlock();
    std::optional<std::string> found;
    std::exception_ptr wrong;
    try {
      found = compare(p);
    } catch (...) {
      wrong = std::current_exception();
    }
    lock.lock();
    if (found && !difference_) difference_ = std::move(found);
    if (wrong) failed_ = wrong;
  }
}

std::optional<std::string> sliced_answer::compare(const part& p) {
  if (p.slice >= slices()) return "there are more accounts than expected";
  const std::uint32_t begin = p.slice * s_.slice;
  const auto count = std::min(s_.slice, w_.accounts - begin);
  if (p.states.size() != count)
    return fmt::format("accounts from {} on: {}, expected {}", begin, p.states.size(), count);
  const auto local = [&](wide32 id) {
    return wide32::of(
        std::min(id.get() - begin, count));  // `count`, and what wraps: another slice's
  };
  outcome got, right;
  {
    oracle judge;
    for (const std::uint32_t r : rows_of_[p.slice]) {
      transaction t = w_.rows[r];
      t.account = local(t.account);
      t.counterparty = local(t.counterparty);
      judge.take(t);
    }
    const rule_schedule rules;
    right = judge.finish(
        count, [&](std::uint32_t, std::int64_t time) { return rules.common(rules.at(time)); });
  }
  for (finding& f : right.alerts) {
    const transaction& t = w_.rows[f.number - 1];
    const bool debit = f.direction == side::debit;
    f.account = (debit ? t.account : t.counterparty).get();
    f.counterparty = (debit ? t.counterparty : t.account).get();
  }
  got.alerts = std::move(alerts_of_[p.slice]);
  got.accounts.reserve(count);
  for (const account& a : p.states) got.accounts.push_back(figures_of(a));
  if (auto found = first_difference(got, right))
    return fmt::format("accounts from {} on: {}", begin, *found);
  return std::nullopt;
}

void sliced_answer::expect(const std::string& who) {
  if (!filling_.states.empty()) hand_over();
  end();
  threads_.clear();
  if (failed_) std::rethrow_exception(failed_);
  if (!difference_ && taken_ != w_.accounts)
    difference_ = fmt::format("{} accounts, expected {}", taken_, w_.accounts);
  if (difference_)
    throw failure{fmt::format("{} and oracle differ: {}", who, *difference_), exit_code::different};
}

}  // namespace txmon::bench
