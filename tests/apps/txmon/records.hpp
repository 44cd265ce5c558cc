// tests/apps/txmon/records.hpp - transactions written down in a test.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

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

}  // namespace txmon::test
