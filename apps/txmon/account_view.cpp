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
  const auto whole = [](const short_number& n) {
    return std::uint64_t{n.part[0]} | std::uint64_t{n.part[1]} << 16U |
           std::uint64_t{n.part[2]} << 32U;
  };
  const auto since = [&](std::uint32_t then) {
    return a.last_ms - std::int64_t{static_cast<std::uint32_t>(a.last_ms) - then};
  };
  const places at = a.where();
  account_figures f;
  f.balance_cents = static_cast<std::int64_t>(a.came_in - a.went_out);
  f.came_in = a.came_in;
  f.mean = a.mean;
  f.squares = a.squares;
  f.seen = a.seen;
  f.alerted = a.alerted;
  f.home = at.home;
  f.presence_country = at.presence_country;
  f.presence_ms = a.presence_ms;
  f.presence_number = whole(a.presence_number);
  for (std::uint32_t i = 0; i < at.recent; ++i)
    f.recent_ms.push_back(since(a.times[at.time_at(i)]));
  const std::uint32_t n = std::min<std::uint32_t>(at.recent, evidence_slots);
  for (std::uint32_t i = 0; i < n; ++i)
    f.recent_numbers.push_back(whole(a.numbers[(a.seen - n + i) % evidence_slots]));
  for (std::uint32_t i = 0; i < at.nears; ++i) {
    f.near_ms.push_back(since(a.near_times[at.near_at(i)]));
    f.near_numbers.push_back(whole(a.near_numbers[at.near_at(i)]));
  }
  for (std::uint32_t i = 0; i < at.credits; ++i) {
    const std::uint32_t place = at.credit_at(i);
    f.credits.push_back({whole(a.credit_numbers[place]), a.in_before[place], a.out_before[place]});
  }
  return f;
}

}  // namespace txmon
