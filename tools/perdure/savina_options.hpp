// tools/perdure/savina_options.hpp - what `perdure bench savina` can be told beside the options of
// all benchmarks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

struct savina_options {
  std::vector<std::string> programs;  ///< empty: all
  double scale = 0;  ///< times Savina's number of messages; 0: 1, or --seconds where that is less
  std::uint32_t pairs = 1'024;  ///< of ping_pong_pairs
  std::uint32_t members = 0;    ///< of big; 0: Savina's 120
  /// count, banking: messages a burst, bursts under way; each program's own unless given
  std::optional<std::uint32_t> burst, window;
  bool apart = false;  ///< ping_pong, count: partners on neighbouring workers, not on the same one
  bool rebalance = false;  ///< behind the warm-up run actors are moved to those that they talk to
  std::string caf;         ///< the CAF program; empty: beside our own executable
  std::vector<std::uint32_t> caf_threads;  ///< empty: powers of two up to all cores
  double caf_timeout_s = 600;              ///< of one run of the CAF program
};

/// Declares them; they are checked while the command line is parsed.
void add_savina_options(CLI::App& to, savina_options& options);

}  // namespace bench
