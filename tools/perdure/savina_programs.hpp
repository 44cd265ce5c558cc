// tools/perdure/savina_programs.hpp - the Savina programs as the host sees them: begin a run, check
// its outcome.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bench.hpp"
#include "savina_actors.actors.hpp"
#include "savina_count_actors.actors.hpp"

namespace bench {

/// Actors that stay for all runs of one program.
struct savina_program {
  std::string name;
  std::uint64_t messages =
      0;  ///< of a run, by Savina's count: starts, credits and reports are left out
  nlohmann::json parameters;
  std::function<void()>
      begin;  ///< sends what starts a run; one outcome comes to the host's mailbox
  /// After the system has come to rest. @throws wrong_answer
  std::function<void(const savina::outcome&)> check;
};

/// Names of all programs, in the order in which they run.
const std::vector<std::string>& savina_names();

/// The actors of a program's system.
const perdure::program& savina_actors_of(const std::string& name);

/// Makes the actors of a program; `host` receives the outcome of each run.
savina_program make_savina_program(const std::string& name, perdure::system& system,
                                   savina::to_host host, const savina_options& options);

/// `count` times the scale, at least 1.
std::uint32_t scaled(std::uint32_t count, const savina_options& options);

}  // namespace bench
