// apps/txmon/transaction.hpp - what every reader gives and every consumer takes.
// Why: actors, oracle and labels see one record, whatever format it came from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace txmon {

struct transaction {
  std::uint64_t sequence;  ///< from 1, in the order of the input
  std::int64_t time_ms;    ///< never goes back
  std::int64_t cents;      ///< 0 .. max_cents
  std::uint32_t debtor;    ///< dense id of the account the money leaves
  std::uint32_t creditor;  ///< dense id of the account it reaches
  bool fraud;              ///< the input's label; no rule reads it
};

}  // namespace txmon
