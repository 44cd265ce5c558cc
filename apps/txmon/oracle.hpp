// apps/txmon/oracle.hpp - the three rules once more, on one thread, with the standard library's containers.
// Why: the actors are right only if something that shares no code with them gives the same answer.
// Invariant: written from the rule text in README.md; includes nothing of account.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "outcome.hpp"
#include "rules.hpp"
#include "transaction.hpp"

namespace txmon {

class oracle {
 public:
  explicit oracle(const rules& r) : rules_{r} {}

  /// Judges both ends of the next transaction, the debtor first.
  void take(const transaction& t);

  /// Alerts sorted, accounts by id up to the highest id seen.
  outcome finish();

 private:
  struct history {
    std::deque<std::int64_t> window;
    std::int64_t balance = 0;
    double mean = 0, squares = 0;
    std::uint32_t count = 0, alerts = 0;
  };
  void post(const transaction& t, std::uint32_t id, side s);

  rules rules_;
  std::vector<history> histories_;
  std::vector<finding> alerts_;
};

}  // namespace txmon
