// apps/txmon/bench/options.hpp - what `txmon bench` is asked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "monitor.hpp"

namespace txmon::bench {

struct bench_options {
  std::uint32_t accounts = 1'000'000;
  std::uint64_t transactions = 1'000'000;  ///< a run
  std::uint32_t runs = 5;
  std::uint32_t threads = 1;  ///< that send to the accounts
  std::uint32_t readers = 1;  ///< that take blocks from memory
  std::uint32_t workers = 0, lanes_each = 0, inbox_slots = 0, host_slots = 0;
  double load = 0;  ///< transactions a second of `latency`; 0: a tenth of what `even` takes
  std::uint64_t seed = 1;
  std::string backend = "auto", json, command;
  std::vector<std::string> only;  ///< of even, zipf, one, latency, resident, capacity
  bool baselines = true;

  /// Of the actors, with room for so many accounts.
  perdure::options system(std::uint64_t with_accounts) const;
  monitor::settings actors(std::uint64_t with_accounts) const;
};

}  // namespace txmon::bench
