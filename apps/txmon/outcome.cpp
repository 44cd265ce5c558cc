// apps/txmon/outcome.cpp - see outcome.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <type_traits>

namespace txmon {
namespace {

/// Calls visit(name, value) for every compared field, in one fixed order.
template <class Visit>
void each_field(const finding& f, const Visit& visit) {
  visit("time_ms", f.time_ms);
  visit("number", f.number);
  visit("side", static_cast<std::uint64_t>(f.direction));
  visit("rule", static_cast<std::uint64_t>(f.fired));
  visit("severity", static_cast<std::uint64_t>(f.level));
  visit("reason", static_cast<std::uint64_t>(f.why));
  visit("score", f.score);
  visit("account", f.account);
  visit("counterparty", f.counterparty);
  visit("value", f.value);
  visit("from_ms", f.from_ms);
  visit("limit", f.limit);
  visit("evidence size", f.evidence.size());
  for (const auto n : f.evidence) visit("evidence", n);
}
template <class Visit>
void each_field(const account_figures& a, const Visit& visit) {
  visit("balance_cents", a.balance_cents);
  visit("came_in", a.came_in);
  visit("squares_low", a.squares_low);
  visit("squares_high", a.squares_high);
  visit("seen", a.seen);
  visit("alerted", a.alerted);
  visit("home", a.home);
  visit("presence_country", a.presence_country);
  visit("presence_ms", a.presence_ms);
  visit("presence_number", a.presence_number);
  visit("recent size", a.recent_ms.size());
  for (const auto t : a.recent_ms) visit("recent_ms", t);
  for (const auto n : a.recent_numbers) visit("recent_number", n);
  visit("near size", a.near_ms.size());
  for (const auto t : a.near_ms) visit("near_ms", t);
  for (const auto n : a.near_numbers) visit("near_number", n);
  visit("credits", a.credits.size());
  for (const auto& c : a.credits) {
    visit("credit number", c.number);
    visit("credit in_before", c.in_before);
    visit("credit out_before", c.out_before);
  }
}
template <class Visit>
void each_field(const std::uint64_t& number, const Visit& visit) {
  visit("number", number);
}

template <class V>
std::uint64_t bits_of(V value) {
  if constexpr (std::is_floating_point_v<V>) {
    return std::bit_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

struct field {
  const char* name;
  std::uint64_t bits;
  std::string shown;
};
template <class Record>
std::vector<field> fields_of(const Record& r) {
  std::vector<field> out;
  each_field(r, [&](const char* name, auto v) {
    out.push_back({name, bits_of(v), fmt::format("{}", v)});
  });
  return out;
}

template <class Record>
std::uint64_t hashed(std::uint64_t h, const Record& r) {
  each_field(r, [&](const char*, auto v) {
    for (std::uint64_t bits = bits_of(v), i = 0; i < 8; ++i, bits >>= 8U)
      h = (h ^ (bits & 0xffU)) * 0x100000001b3U;
  });
  return h;
}

/// The values alone: what is equal, nearly all of it, is worth no text.
template <class Record>
void bits_of_fields(const Record& r, std::vector<std::uint64_t>& out) {
  out.clear();
  each_field(r, [&](const char*, auto v) { out.push_back(bits_of(v)); });
}

template <class Record>
std::optional<std::string> compare(const char* what, const std::vector<Record>& got,
                                   const std::vector<Record>& expected) {
  std::vector<std::uint64_t> mine, theirs;
  for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
    bits_of_fields(got[i], mine);
    bits_of_fields(expected[i], theirs);
    if (mine == theirs) continue;
    const auto a = fields_of(got[i]), b = fields_of(expected[i]);
    for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
      if (a[k].bits != b[k].bits) {
        return fmt::format("{} {}: {} {}, expected {}", what, i, a[k].name, a[k].shown, b[k].shown);
      }
    }
  }
  if (got.size() == expected.size()) return std::nullopt;
  return fmt::format("{} {}s, expected {}", got.size(), what, expected.size());
}

}  // namespace

void sort_alerts(std::vector<finding>& alerts) {
  std::sort(alerts.begin(), alerts.end(),
            [](const finding& a, const finding& b) { return a.key() < b.key(); });
}

std::uint64_t checksum_step(std::uint64_t hash, const finding& alert) {
  finding nameless = alert;
  nameless.account = nameless.counterparty = 0;
  return hashed(hash, nameless);
}
std::uint64_t checksum_of(const account_figures& account, std::string_view name) {
  std::uint64_t h = checksum_start;
  for (const char c : name) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hashed(h, account);
}

std::optional<std::string> first_difference(const outcome& got, const outcome& expected) {
  if (auto found = compare("account", got.accounts, expected.accounts)) return found;
  if (auto found = compare("late transaction", got.late, expected.late)) return found;
  return compare("alert", got.alerts, expected.alerts);
}

}  // namespace txmon
