// apps/txmon/oracle.hpp - the seven rules once more, on one thread, with the standard library's containers.
// Why: the actors are right only if rules written a second time give the same answer.
// Invariant: judges by the rule text in README.md and includes nothing of account.hpp, lanes or event order. Shared with
//            the actors: readers and transaction, rule_schedule with its terms, finding and sort_alerts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "outcome.hpp"
#include "rules.hpp"
#include "transaction.hpp"

namespace txmon {

class oracle {
 public:
  /// The terms in force for an account at an event time.
  using terms_of = std::function<terms(std::uint32_t account, std::int64_t time_ms)>;

  explicit oracle(std::int64_t lateness_ms = 0) : lateness_{lateness_ms} {}

  /// The next transaction, in the order of the numbers.
  void take(const transaction& t);

  /// Judges all that was taken, in the order of event time, at accounts 0 .. `accounts` - 1: postings of others are left
  /// out, since accounts know nothing of each other.
  outcome finish(std::uint32_t accounts, const terms_of& in_force);

 private:
  struct memory {
    std::int64_t time;
    std::uint64_t number;
  };
  struct credit {
    std::int64_t time;
    std::uint64_t number, in, out;
  };
  __extension__ using uint128 = unsigned __int128;
  struct history {
    std::uint64_t in = 0, out = 0;
    uint128 squares = 0;  ///< sum of the amounts' squares: up to 2^32 of 87 bits
    std::uint32_t seen = 0, alerts = 0;
    unsigned home = 0, last_country = 0;
    memory last_in_person{0, 0};
    std::deque<memory> recent, near_limit;
    std::deque<credit> credits;
  };
  void post(const transaction& t, side s, const terms& in_force);

  std::int64_t lateness_, greatest_ = 0;
  std::vector<transaction> kept_;
  std::vector<std::uint64_t> late_;
  std::vector<history> histories_;
  std::vector<finding> alerts_;
};

}  // namespace txmon
