// tools/perdure/baseline_route.hpp - the hand-written router: what the same traffic costs without
// actors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

#include "bench.hpp"

namespace bench {

struct route_shape {
  bool cuda = false;         ///< the actors ran on a GPU: there is something to compare with
  std::uint32_t actors = 0;  ///< of both types together
  std::uint32_t tokens = 0;  ///< under way at once
  std::uint32_t runs = 5;
  double seconds = 1;
  std::uint32_t payload = 38;  ///< 38: two types of actors, three messages; 8: one of each
};

/// Messages a second of baseline_route.cu for a few grids, all states checked; {skipped: reason}
/// elsewhere.
nlohmann::json route_baselines(const bench_options& options, const route_shape& shape);

}  // namespace bench
