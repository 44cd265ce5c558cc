// tests/generated/scenario.hpp - runs one generated program: spawn, wire, stop some, load, rest, read the states.
// Why: the same steps serve every backend, so that two runs differ in nothing but the backend.
// Invariant: what the host sends depends on the program and the seed only.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "perdure/options.hpp"
#include "perdure/program.hpp"
#include "perdure/result.hpp"
#include "perdure/stats.hpp"

namespace perdure::generated {

/// One program of a generated header: the actor types of one namespace.
struct program_slice {
  const program* of;
  std::string name;                 ///< the namespace, such as "free1_0"
  std::vector<std::size_t> actors;  ///< indices into of->actors
  bool ordered() const { return name.starts_with("ordered"); }
};
std::vector<program_slice> slices_of(const program& p);

struct plan {
  std::uint64_t seed = 1;
  std::size_t actors_per_type = 20;  ///< of at least 4 types: 80 actors or more
  std::size_t messages = 96;         ///< from the host, in one burst
};

struct actor_state {
  std::uint8_t type;  ///< actor type id
  std::uint64_t bits;
  std::vector<std::byte> state;
};
/// A message that the host sent, for the replay.
struct host_message {
  std::uint64_t to;
  std::size_t handler;
  std::vector<std::byte> bytes;
};
struct outcome {
  std::vector<actor_state> actors;  ///< in order of spawning
  std::vector<host_message> sent;
  std::uint64_t hash = 0;  ///< of all states, references by number of the actor
  stats counters;
  layout_report layout;
};

/// @return the outcome; or what the system returned, `bad_option` if the books do not balance or a message was
///         lost for want of room (the sizes of the options must hold the whole load).
result<outcome> run(const program_slice& slice, const options& opts, const plan& plan);

/// Rings of 64 slots; spills and timers that hold the whole load.
options small_rings(std::uint64_t seed);

/// The first actors in which two runs differ, as lines of text; empty if there are none.
std::string compare(const program_slice& slice, const outcome& first, const outcome& second);

/// Runs the host's messages and all that they cause again, on this thread, every actor in the order it has
/// recorded, and compares. @return empty if all states are bit-equal, else what differs.
std::string replay(const program_slice& slice, const outcome& recorded, std::uint64_t seed);

}  // namespace perdure::generated
