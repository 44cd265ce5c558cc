// apps/txmon/account_view.cpp - see account_view.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "account_view.hpp"

#include <algorithm>

namespace txmon {

finding to_finding(const alert& a, std::uint64_t hlc) {
  finding f;
  f.time_ms = a.time_ms;
  f.number = a.number;
  f.direction = a.direction;
  f.fired = a.fired;
  f.level = a.level;
  f.why = a.why;
  f.score = a.score;
  f.account = a.account;
  f.counterparty = a.counterparty;
  f.value = a.value;
  f.from_ms = a.from_ms;
  f.limit = a.limit;
  f.evidence.assign(a.evidence.begin(), a.evidence.begin() + std::min<std::ptrdiff_t>(
                                                                 a.evidence_count, evidence_slots));
  f.hlc = hlc;
  return f;
}

account_figures figures_of(const account& a) {
  const auto since = [&](std::uint32_t then) {
    return a.last.ms - std::int64_t{static_cast<std::uint32_t>(a.last.ms) - then};
  };
  const places at = a.where();
  account_figures f;
  f.balance_cents = static_cast<std::int64_t>(a.total.in - a.total.out);
  f.came_in = a.total.in;
  f.squares_low = a.squares.low;
  f.squares_high = a.squares.high;
  f.seen = a.seen;
  f.alerted = a.alerted;
  f.home = at.home;
  f.presence_country = at.presence_country;
  f.presence_ms = a.there.ms;
  f.presence_number = a.there.number;
  for (std::uint32_t i = 0; i < at.recent; ++i)
    f.recent_ms.push_back(since(a.times[at.time_at(i)]));
  const std::uint32_t n = std::min<std::uint32_t>(at.recent, evidence_slots);
  for (std::uint32_t i = 0; i < n; ++i)
    f.recent_numbers.push_back(a.numbers.get((a.seen - n + i) % evidence_slots));
  for (std::uint32_t i = 0; i < at.nears; ++i) {
    f.near_ms.push_back(since(a.near_times[at.near_at(i)]));
    f.near_numbers.push_back(a.near_numbers.get(at.near_at(i)));
  }
  for (std::uint32_t i = 0; i < at.credits; ++i) {
    const std::uint32_t place = at.credit_at(i);
    f.credits.push_back({a.credit_numbers.get(place), a.before[place].in, a.before[place].out});
  }
  return f;
}

}  // namespace txmon
