// tests/contract/schedules.hpp - runs one claim under many seeded schedules and under real threads.
// Why: a claim of the contract holds under every schedule; tiny stocks make the bad ones likely.
// Replay: PERDURE_SEED=n runs that seed alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>

#include "tests/contract/registry.hpp"

namespace contract {

using namespace std::chrono_literals;

/// Inboxes of 64 slots, eight lanes, small outboxes: every ring wraps and every stock is reached.
inline perdure::options tight(perdure::schedule how, std::uint64_t seed) {
  perdure::options o;
  o.backend = perdure::backend::cpu;
  o.schedule = how;
  o.seed = seed;
  // every third one sends its workers away whenever they rest
  o.execution = seed % 3 == 2 ? perdure::execution::graph : perdure::execution::resident;
  o.workers = 3;
  o.lanes = 8;
  o.memory_bytes = 8U << 20U;
  o.inbox_slots = 64;
  o.spill_slots = 1024;
  o.outbox_slots = 64;
  o.host_slots = 64;
  o.host_lanes = 2;
  o.timer_slots = 64;
  o.buffer_slots = 256;
  return o;
}

/// Thrown by a claim about a run that the machine has spoiled: see not_kept_waiting().
struct spoiled_run {};

/// For a stop with less time than a machine may keep a thread from running: if it did that in the middle of a handler
/// for longer than the runtime waits, then `stuck` is the truth, and nothing is claimed of such a run's books.
inline void not_kept_waiting(const perdure::result<void>& stopped) {
  if (stopped || stopped.error().code() != perdure::errc::stuck) return;
  if (stopped.error().context().find("does not return from") != std::string::npos)
    throw spoiled_run{};
}

/// Calls `claim` once more for each run that was spoiled; a machine that spoils ten runs is no place for a test, or
/// the runtime takes the slow for the stuck.
inline void until_not_spoiled(const std::function<void()>& claim) {
  for (int spoiled = 0; spoiled < 10; ++spoiled) {
    try {
      return claim();
    } catch (const spoiled_run&) {
    }
  }
  ADD_FAILURE() << "ten times in a row a handler was called stuck that does return";
}

/// Calls `claim` with `seeds` seeded schedules and `threaded` runs on real threads.
inline void under_every_schedule(std::uint64_t seeds, std::uint64_t threaded,
                                 const std::function<void(perdure::options)>& claim) {
  std::uint64_t first = 1;
  if (const char* one = std::getenv("PERDURE_SEED"); one != nullptr) {
    first = seeds = std::strtoull(one, nullptr, 10);
  }
  for (std::uint64_t seed = first; seed <= seeds && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seeded, PERDURE_SEED=" + std::to_string(seed));
    claim(tight(perdure::schedule::seeded, seed));
  }
  for (std::uint64_t run = 1; run <= threaded && !::testing::Test::HasFailure(); ++run) {
    SCOPED_TRACE("parallel, run " + std::to_string(run));
    until_not_spoiled([&] { claim(tight(perdure::schedule::parallel, run)); });
  }
}

/// Clause 10, which every other test checks as well.
inline void expect_exact_books(const perdure::system& sys, std::uint64_t queued = 0) {
  const perdure::stats s = sys.statistics();
  EXPECT_EQ(s.sent, s.handled + s.dead_total() + queued)
      << "sent = handled + dead letters + still queued";
  EXPECT_EQ(s.queued, queued);
}

template <class T>
void expect_ok(const perdure::result<T>& r) {
  ASSERT_TRUE(r.has_value()) << r.error().message();
}
template <class T>
void expect_error(const perdure::result<T>& r, perdure::errc code) {
  ASSERT_FALSE(r.has_value()) << "no error, where " << perdure::name_of(code) << " was due";
  EXPECT_EQ(r.error().code(), code) << r.error().message();
}

}  // namespace contract
