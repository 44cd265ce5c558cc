// tests/support/load.hpp - a seeded load for any program: actors, references, messages; then all states.
// Why: what perdure-gen lowered is proved by running it, also for a header that a reviewer brings.
// Invariant: the load depends on the program's tables and the seed only, never on answers or on time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "perdure/options.hpp"
#include "perdure/program.hpp"
#include "perdure/result.hpp"
#include "perdure/stats.hpp"

namespace perdure::support {

struct load_plan {
  std::uint64_t seed = 1;
  std::size_t actors_per_type = 12;
  std::size_t messages = 240;  ///< from the host; every handler gets at least one
  std::size_t burst = 1;       ///< messages between two rests
  std::chrono::nanoseconds rest_timeout = std::chrono::seconds{20};  ///< for one rest
};

/// One actor when all is at rest.
struct actor_image {
  std::uint8_t type;     ///< actor type id
  std::uint32_t number;  ///< within its type, in order of spawning
  std::vector<std::byte> state;
};

/// What a load left behind.
struct aftermath {
  std::vector<actor_image> actors;
  std::unordered_map<std::uint64_t, std::uint64_t>
      names;                       ///< reference bits -> number of the actor, from 1
  std::uint64_t state_hash = 0;    ///< of all states, field by field
  std::uint64_t letters = 0;       ///< messages that reached the host's mailbox
  std::uint64_t letters_hash = 0;  ///< of these, in any order
  stats counters;
  layout_report layout;
  bool timers_pending = false;  ///< a timer re-arms itself for ever

  std::uint64_t name(std::uint64_t bits) const;
};

/// Starts a system with `opts`, links wide actors at random, sends the load, waits until it rests, reads all states, stops.
/// @return what start() and the rest returned; timeout if the program does not come to rest.
result<aftermath> run_load(const program& actors, const options& opts, const load_plan& plan);

/// First differences between two runs of one load as lines of text; empty if they agree. What was sent,
/// handled and lost counts as well.
std::string compare(const program& actors, const aftermath& first, const aftermath& second,
                    std::size_t most = 8);

}  // namespace perdure::support
