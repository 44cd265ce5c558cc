// tests/apps/txmon/oracle_feed.hpp - what the oracle is asked in tests: one account that pays and receives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "oracle.hpp"
#include "records.hpp"

namespace txmon::test {

inline constexpr std::int64_t second = 1000, minute = 60 * second, hour = 60 * minute;
using numbers = std::vector<std::uint64_t>;

/// Account 0 pays and receives; everybody else appears once.
struct feed {
  terms own;
  oracle judge;
  std::uint64_t number = 0;
  std::uint32_t fresh = 1;

  explicit feed(std::int64_t lateness_ms = 0) : judge{lateness_ms} {
    own.limits.deviation_count = 1000;  // silent unless a test wants it
    own.limits.rapid_least = 1'000'000;
  }
  void pay(std::int64_t at, std::int64_t cents, const char* country = nullptr,
           channel via = channel::unknown) {
    judge.take(record({++number, at, cents, 0, fresh++, country, via}));
  }
  void receive(std::int64_t at, std::int64_t cents) {
    judge.take(record({++number, at, cents, fresh++, 0}));
  }
  /// Alerts of account 0.
  std::vector<finding> alerts(outcome* all = nullptr) {
    auto out = judge.finish(
        fresh, [&](std::uint32_t account, std::int64_t) { return account == 0 ? own : terms{}; });
    if (all != nullptr) *all = out;
    std::erase_if(out.alerts, [](const finding& f) { return f.account != 0; });
    return out.alerts;
  }
};

}  // namespace txmon::test
