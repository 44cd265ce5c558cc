// tests/apps/txmon/records.hpp - transactions written down in a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "codes.hpp"
#include "transaction.hpp"

namespace txmon::test {

/// Fields as a person gives them; `record` makes the 38 bytes.
struct fields {
  std::uint64_t number = 0;
  std::int64_t time_ms = 0, cents = 0;
  std::uint32_t account = 0, counterparty = 1;
  const char* country = nullptr;
  channel via = channel::unknown;
};

inline transaction record(const fields& f) {
  transaction t{};
  t.number = wide64::of(f.number);
  t.account = wide32::of(f.account);
  t.counterparty = wide32::of(f.counterparty);
  t.cents = wide64::of(static_cast<std::uint64_t>(f.cents));
  t.currency = *currency_of("EUR");
  if (f.country != nullptr) t.country = *country_of(f.country);
  t.via = f.via;
  t.time_ms = wide64::of(static_cast<std::uint64_t>(f.time_ms));
  return t;
}

/// Rows at these times, ms, each of an account of its own.
inline std::vector<transaction> rows_at(const std::vector<std::int64_t>& times) {
  std::vector<transaction> out;
  std::uint32_t account = 0;
  for (const auto t : times) out.push_back(record({0, t, 1, account++, account + 7}));
  return out;
}

}  // namespace txmon::test
