// tools/perdure/benches.hpp - the table of all benchmarks: `perdure bench NAME` and `perdure bench
// all` read it.
// Why: a new benchmark is one line in benches.cpp and nothing else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench.hpp"

namespace CLI {
class App;
}

namespace bench {

/// What `bench all` runs of a benchmark: the report's file is NAME_SUFFIX.json, or NAME.json
/// without a suffix.
struct variant {
  const char* suffix;
  std::vector<std::string> arguments;
  bool device_only = false;  ///< left out on the CPU backend: too large for it
};

struct entry {
  const char* name;
  const char* help;
  nlohmann::json (*run)(const bench_options&);
  void (*own_options)(CLI::App&, bench_options&) = nullptr;  ///< beside those that all have
  std::vector<variant> variants{{"", {}}};
  bool lasts = false;   ///< 60 s unless told; `bench all` gives it the seconds of --sustain
  bool sized = false;   ///< has --actors
  bool scaled = false;  ///< has --scale; `bench all` gives it that of --savina-scale
};

/// All of them, in the order in which `bench all` runs them.
std::span<const entry> benches();

}  // namespace bench
