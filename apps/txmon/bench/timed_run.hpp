// apps/txmon/bench/timed_run.hpp - one stream through a monitor, timed.
// Why: throughput and capacity must time the same thing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "event_order.hpp"
#include "options.hpp"
#include "workload.hpp"

namespace txmon::bench {

struct run_time {
  double seconds;       ///< of the clock on the wall
  double core_seconds;  ///< of all threads of this process, user and system: what it cost
};

/// Sends all rows to the accounts, which are there, and waits for the last alert.
/// Start: rows are in memory, no thread has begun. End: the system is at rest and the host has every alert.
run_time run_stream(monitor& m, memory_source& from, const bench_options& o);
/// The same for a part of a stream. @param order  of the parts before it
run_time run_stream(monitor& m, memory_source& from, const bench_options& o, event_order& order);

/// Processor time of this process so far, of all its threads.
double core_seconds();

}  // namespace txmon::bench
