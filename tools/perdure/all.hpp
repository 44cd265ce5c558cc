// tools/perdure/all.hpp - `perdure bench all`: every benchmark with every variant, each in a
// process of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench.hpp"

namespace bench {

struct all_options {
  std::filesystem::path out;      ///< folder of the reports; empty: bench-DATE
  std::vector<std::string> only;  ///< names of benchmarks or of their files; empty: all
  double sustain_seconds = 60;    ///< for benchmarks that are about lasting
  double limit_seconds = 300;     ///< for one process, beyond what it is told to last
  double savina_scale = 0.1;      ///< times Savina's messages: at 1, CAF alone takes three minutes
};

/// Runs them all, one after the other, and says how far it is. A failure does not stop the rest.
/// Writes OUT/NAME.json and OUT/NAME.log for each, and OUT/all.json, whose config has the seconds and the
/// scale that they were given. @return how many failed.
int run_all(const bench_options& options, const all_options& all);

}  // namespace bench
