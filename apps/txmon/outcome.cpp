// apps/txmon/outcome.cpp - see outcome.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "outcome.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <type_traits>

namespace txmon {
namespace {

/// Calls visit(name, value) for every field, in one fixed order.
template <class Visit>
void each_field(const finding& f, const Visit& visit) {
  visit("sequence", f.sequence);
  visit("account", f.account);
  visit("rule", static_cast<std::uint64_t>(f.fired));
  visit("side", static_cast<std::uint64_t>(f.direction));
  visit("time_ms", f.time_ms);
  visit("value", f.value);
  visit("limit", f.limit);
}
template <class Visit>
void each_field(const account_figures& a, const Visit& visit) {
  visit("balance_cents", a.balance_cents);
  visit("mean_cents", a.mean_cents);
  visit("squares", a.squares);
  visit("seen", a.seen);
  visit("alerted", a.alerted);
  visit("window size", a.window_ms.size());
  for (const auto t : a.window_ms) visit("window_ms", t);
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
std::uint64_t checksum_of(const std::vector<Record>& records) {
  std::uint64_t h = 0xcbf29ce484222325U;
  for (const auto& r : records) {
    each_field(r, [&](const char*, auto v) {
      for (std::uint64_t bits = bits_of(v), i = 0; i < 8; ++i, bits >>= 8U)
        h = (h ^ (bits & 0xffU)) * 0x100000001b3U;
    });
  }
  return h;
}

template <class Record>
std::optional<std::string> compare(const char* what, const std::vector<Record>& got,
                                   const std::vector<Record>& expected) {
  for (std::size_t i = 0; i < std::min(got.size(), expected.size()); ++i) {
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
  auto key = [](const finding& f) {
    return std::tuple{f.sequence, f.account, f.fired, f.direction};
  };
  std::sort(alerts.begin(), alerts.end(),
            [&](const finding& a, const finding& b) { return key(a) < key(b); });
}

std::uint64_t checksum(const std::vector<finding>& alerts) { return checksum_of(alerts); }
std::uint64_t checksum(const std::vector<account_figures>& accounts) {
  return checksum_of(accounts);
}

std::optional<std::string> first_difference(const outcome& got, const outcome& expected) {
  if (auto found = compare("account", got.accounts, expected.accounts)) return found;
  return compare("alert", got.alerts, expected.alerts);
}

}  // namespace txmon
