// apps/txmon/oracle.cpp - see oracle.hpp; the numbers in the comments are the README's rule numbers.
// SPDX-License-Identifier: Apache-2.0
#include "oracle.hpp"

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <utility>

namespace txmon {
namespace {

/// Points of a fired rule, by the table in the README.
int points(rule r, severity s) {
  int medium = 0;
  switch (r) {
    case rule::velocity:
    case rule::amount:
    case rule::geography:
      medium = 20;
      break;
    case rule::structuring:
    case rule::pep:
      medium = 30;
      break;
    case rule::deviation:
      medium = 16;
      break;
    case rule::rapid_movement:
      medium = 40;
      break;
  }
  return s == severity::critical ? 2 * medium : s == severity::high ? medium * 3 / 2 : medium;
}

template <class Entries>
void drop_left(Entries& entries, std::int64_t now, std::int64_t window) {
  while (!entries.empty() && entries.front().time <= now - window) entries.pop_front();
}

template <class Entries>
std::vector<std::uint64_t> numbers(const Entries& entries, std::size_t newest = 100) {
  std::vector<std::uint64_t> out;
  for (std::size_t i = entries.size() - std::min(entries.size(), newest); i < entries.size(); ++i)
    out.push_back(entries[i].number);
  return out;
}

}  // namespace

void oracle::take(const transaction& t) {
  if (t.when() < greatest_ - lateness_) {
    late_.push_back(t.number.get());
  } else {
    kept_.push_back(t);
  }
  greatest_ = std::max(greatest_, t.when());
}

void oracle::post(const transaction& t, side s, const terms& in_force) {
  const rules& p = in_force.limits;
  const bool debit = s == side::debit;
  const std::uint32_t id = debit ? t.account.get() : t.counterparty.get();
  const std::int64_t now = t.when(), x = t.amount();
  const std::uint64_t number = t.number.get();
  const auto limit = static_cast<std::int64_t>(p.amount_limit) * 100;
  history& h = histories_[id];
  if (in_force.who.home != 0) h.home = in_force.who.home;

  std::vector<finding> fired;
  auto report = [&](rule which, severity level, std::int64_t value, double against) -> finding& {
    finding f;
    f.time_ms = f.from_ms = now;
    f.number = number;
    f.direction = s;
    f.fired = which;
    f.level = level;
    f.account = id;
    f.counterparty = debit ? t.counterparty.get() : t.account.get();
    f.value = value;
    f.limit = against;
    f.evidence = {number};
    return fired.emplace_back(std::move(f));
  };

  // First
  (debit ? h.out : h.in) += static_cast<std::uint64_t>(x);
  drop_left(h.recent, now, p.velocity_window_ms);
  drop_left(h.near_limit, now, p.structuring_window_ms);
  drop_left(h.credits, now, p.rapid_window_ms);

  // 1. velocity
  h.recent.push_back({now, number});
  if (h.recent.size() > 30) h.recent.pop_front();
  const int count = static_cast<int>(h.recent.size());
  if (count > p.velocity_limit) {
    const severity level = count >= p.velocity_critical * p.velocity_limit ? severity::critical
                           : count >= p.velocity_high * p.velocity_limit   ? severity::high
                                                                           : severity::medium;
    finding& f = report(rule::velocity, level, count, p.velocity_limit);
    f.from_ms = h.recent.front().time;
    f.evidence = numbers(h.recent, 8);
  }

  // 2. amount
  if (debit && x > limit) {
    const severity level = x >= p.amount_critical * limit ? severity::critical
                           : x >= p.amount_high * limit   ? severity::high
                                                          : severity::medium;
    report(rule::amount, level, x, static_cast<double>(limit));
  }

  // 3. structuring
  if (x <= limit && 100 * x >= p.structuring_percent * limit) {
    h.near_limit.push_back({now, number});
    if (h.near_limit.size() > 4) h.near_limit.pop_front();
    if (h.near_limit.size() >= p.structuring_count) {
      finding& f = report(rule::structuring, severity::high,
                          static_cast<std::int64_t>(h.near_limit.size()), p.structuring_count);
      f.from_ms = h.near_limit.front().time;
      f.evidence = numbers(h.near_limit);
    }
  }

  // 4. geography
  const unsigned country = t.country;
  if (debit && country != 0) {
    const bool in_person =
        t.via == channel::branch || t.via == channel::atm || t.via == channel::card;
    if (h.home == 0) h.home = country;
    const auto& allowed = in_force.who.allowed;
    if (in_person && h.last_country != 0 && h.last_country != country &&
        now - h.last_in_person.time < p.travel_window_ms) {
      finding& f = report(rule::geography, severity::critical, now - h.last_in_person.time,
                          p.travel_window_ms);
      f.why = reason::travel;
      f.from_ms = h.last_in_person.time;
      f.evidence = {h.last_in_person.number, number};
    } else if (country != h.home &&
               std::find(allowed.begin(), allowed.end(), country) == allowed.end()) {
      const bool listed = p.is_high_risk(country);
      report(rule::geography, listed ? severity::high : severity::medium, country, 0).why =
          listed ? reason::high_risk : reason::foreign;
    }
    if (in_person) {
      h.last_country = country;
      h.last_in_person = {now, number};
    }
  }

  // 5. pep
  const std::int64_t pep_limit = 100 * static_cast<std::int64_t>(p.pep_limit);
  if (in_force.who.pep && x > pep_limit)
    report(rule::pep, severity::high, x, static_cast<double>(pep_limit));

  // 6. deviation
  const auto amount = static_cast<std::uint64_t>(x);
  const uint128 sum = uint128{h.in} + h.out - amount;  // before this posting
  const uint128 times_seen = uint128{h.seen} * amount;
  if (h.seen >= p.deviation_count && times_seen > sum) {
    using boost::multiprecision::int256_t;  // 182 bits are needed
    const int256_t e = times_seen - sum, total = sum, squares = h.squares;
    const int256_t v = squares * h.seen - total * total, f = p.deviation_hundredths;
    const int256_t right = f * f * v;
    if (10'000 * e * e > right) {
      // No y fires with 100 (seen y - sum) <= sqrt(right); a whole number is not over a root where not over its floor.
      const int256_t most = (100 * total + sqrt(right)) / (std::int64_t{100} * h.seen);
      report(rule::deviation, severity::medium, x, static_cast<double>(most));
    }
  }

  // 7. rapid movement
  if (!debit) {
    h.credits.push_back({now, number, h.in - static_cast<std::uint64_t>(x), h.out});
    if (h.credits.size() > 3) {
      const auto brought = [&](std::size_t i) { return h.credits[i + 1].in - h.credits[i].in; };
      std::size_t least = 0;
      for (const std::size_t i : {1U, 2U})
        if (brought(i) <= brought(least)) least = i;
      h.credits.erase(h.credits.begin() + static_cast<std::ptrdiff_t>(least));
    }
  } else if (!h.credits.empty()) {
    const std::uint64_t in = h.in - h.credits.front().in, out = h.out - h.credits.front().out;
    if (in >= 100ULL * p.rapid_least && 100 * out >= p.rapid_percent * in) {
      finding& f = report(rule::rapid_movement, severity::high, static_cast<std::int64_t>(out),
                          static_cast<double>(in) * p.rapid_percent / 100.0);
      f.from_ms = h.credits.front().time;
      f.evidence = numbers(h.credits);
      f.evidence.push_back(number);
      h.credits.clear();
    }
  }

  // Score, last
  int score = 0;
  for (const finding& f : fired) score += points(f.fired, f.level);
  for (finding& f : fired) {
    f.score = static_cast<std::uint8_t>(std::min(score, 100));
    alerts_.push_back(std::move(f));
    ++h.alerts;
  }
  h.seen += 1;
  h.squares += uint128{amount} * amount;
}

outcome oracle::finish(std::uint32_t accounts, const terms_of& in_force) {
  std::sort(kept_.begin(), kept_.end(), [](const transaction& a, const transaction& b) {
    return std::pair{a.when(), a.number.get()} < std::pair{b.when(), b.number.get()};
  });
  histories_.resize(accounts);
  for (const transaction& t : kept_) {
    const std::uint32_t from = t.account.get(), to = t.counterparty.get();
    if (from < accounts) post(t, side::debit, in_force(from, t.when()));
    if (to < accounts) post(t, side::credit, in_force(to, t.when()));
  }
  outcome out;
  out.late = std::move(late_);
  out.alerts = std::move(alerts_);
  sort_alerts(out.alerts);
  for (const history& h : histories_) {
    account_figures& a = out.accounts.emplace_back();
    a.balance_cents = static_cast<std::int64_t>(h.in - h.out);
    a.came_in = h.in;
    a.squares_low = static_cast<std::uint64_t>(h.squares);
    a.squares_high = static_cast<std::uint64_t>(h.squares >> 64U);
    a.seen = h.seen;
    a.alerted = h.alerts;
    a.home = static_cast<std::uint8_t>(h.home);
    a.presence_country = static_cast<std::uint8_t>(h.last_country);
    a.presence_ms = h.last_in_person.time;
    a.presence_number = h.last_in_person.number;
    for (const memory& m : h.recent) a.recent_ms.push_back(m.time);
    a.recent_numbers = numbers(h.recent, 8);
    for (const memory& m : h.near_limit) a.near_ms.push_back(m.time);
    a.near_numbers = numbers(h.near_limit);
    for (const credit& c : h.credits) a.credits.push_back({c.number, c.in, c.out});
  }
  return out;
}

}  // namespace txmon
