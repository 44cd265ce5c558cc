// tools/perdure/caf/runs.hpp - the Savina programs by CAF: one checked run of each.
// Why: CAF is the fastest actor library that Debian has; the same rules and answers as in
// ../savina_rules.hpp.
// Invariant: actors are spawned before the clock starts and the outcome is received before it ends,
// as with perdure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <caf/all.hpp>
#include <chrono>
#include <cstdint>
#include <stdexcept>

namespace savina_caf {

struct outcome {
  std::uint64_t done, wrong;
};

struct wrong_answer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Seconds of one run. @throws wrong_answer, or std::runtime_error after 120 s without an outcome
double ping_pong(caf::actor_system& system, std::uint32_t pairs, std::uint32_t pings);
double count(caf::actor_system& system, std::uint32_t increments, std::uint32_t burst,
             std::uint32_t window);
double big(caf::actor_system& system, std::uint32_t members, std::uint32_t pings);
double thread_ring(caf::actor_system& system, std::uint32_t hops);
double banking(caf::actor_system& system, std::uint32_t transfers, std::uint32_t under_way);

/// Begins, waits for the outcome, and ends the clock. @throws as above
template <class Begin>
double timed(caf::scoped_actor& host, outcome expected, const Begin& begin) {
  using namespace std::chrono;
  outcome got{};
  bool late = false;
  const auto from = steady_clock::now();
  begin();
  host->receive([&](const outcome& m) { got = m; },
                caf::after(seconds(120)) >> [&] { late = true; });
  const double took = duration<double>(steady_clock::now() - from).count();
  if (late) throw std::runtime_error{"no outcome came in 120 s"};
  if (got.done != expected.done || got.wrong != expected.wrong)
    throw wrong_answer{"the outcome is (" + std::to_string(got.done) + ", " +
                       std::to_string(got.wrong) + "), not (" + std::to_string(expected.done) +
                       ", " + std::to_string(expected.wrong) + ")"};
  return took;
}

}  // namespace savina_caf

CAF_ALLOW_UNSAFE_MESSAGE_TYPE(savina_caf::outcome)
