// apps/txmon/oracle.cpp - see oracle.hpp; the numbers in the comments are the README's rule numbers.
// SPDX-License-Identifier: Apache-2.0
#include "oracle.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace txmon {

void oracle::take(const transaction& t) {
  const std::size_t needed = std::size_t{std::max(t.debtor, t.creditor)} + 1;
  if (histories_.size() < needed) histories_.resize(needed);
  post(t, t.debtor, side::debit);
  post(t, t.creditor, side::credit);
}

void oracle::post(const transaction& t, std::uint32_t id, side s) {
  history& h = histories_[id];
  auto report = [&](rule which, std::int64_t value, double limit) {
    alerts_.push_back({t.sequence, id, which, s, t.time_ms, value, limit});
    ++h.alerts;
  };

  // 1. amount: a debit above the limit
  if (s == side::debit && t.cents > rules_.amount_limit_cents) {
    report(rule::amount, t.cents, static_cast<double>(rules_.amount_limit_cents));
  }

  // 2. velocity: the window holds times later than now - length, this one too, the newest 32 at most
  h.window.push_back(t.time_ms);
  while (h.window.front() <= t.time_ms - rules_.velocity_window_ms) h.window.pop_front();
  while (h.window.size() > 32) h.window.pop_front();
  if (h.window.size() > rules_.velocity_limit) {
    report(rule::velocity, static_cast<std::int64_t>(h.window.size()),
           static_cast<double>(rules_.velocity_limit));
  }

  // 3. deviation: against mean and deviation of the postings before this one
  const auto amount = static_cast<double>(t.cents);
  if (h.count >= rules_.deviation_min_count) {
    const double deviation = std::sqrt(h.squares / h.count);
    const double limit = h.mean + rules_.deviation_factor * deviation;
    if (amount > limit) report(rule::deviation, t.cents, limit);
  }

  h.count += 1;
  const double old_mean = h.mean;
  h.mean = old_mean + (amount - old_mean) / h.count;
  h.squares = h.squares + (amount - old_mean) * (amount - h.mean);
  h.balance = s == side::credit ? h.balance + t.cents : h.balance - t.cents;
}

outcome oracle::finish() {
  outcome out;
  out.alerts = std::exchange(alerts_, {});
  sort_alerts(out.alerts);
  out.accounts.reserve(histories_.size());
  for (const history& h : histories_) {
    out.accounts.push_back(
        {h.balance, h.mean, h.squares, h.count, h.alerts, {h.window.begin(), h.window.end()}});
  }
  return out;
}

}  // namespace txmon
