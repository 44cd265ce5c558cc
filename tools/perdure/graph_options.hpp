// tools/perdure/graph_options.hpp - what `perdure bench graph` can be told beside the options of
// all benchmarks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace CLI {
class App;
}

namespace bench {

struct graph_options {
  std::vector<std::uint32_t> lengths{10, 100, 1025};  ///< nodes a chain
  std::uint32_t chains = 4;                           ///< of the parallel shape
  std::uint32_t repeats = 0;  ///< launches a run; 0: 50, or fewer where --seconds is over before

  std::uint32_t most_repeats() const { return repeats != 0 ? repeats : 50; }
};

void add_graph_options(CLI::App& to, graph_options& options);

}  // namespace bench
