// tools/perdure/bench.hpp - what the benchmarks share: their options, and one function each.
// Each returns a finished report (see report.hpp), throws perdure::bad_result on an error of the
// library, and bench::wrong_answer if what came back is not what had to come back.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "graph_options.hpp"
#include "perdure/system.hpp"
#include "savina_options.hpp"
#include "told_once.hpp"

namespace bench {

struct bench_options {
  perdure::backend backend = perdure::backend::automatic;
  std::uint32_t workers = 0, lanes_each = 0;  ///< 0: the library's choice
  std::uint64_t actors = 0;                   ///< 0: the benchmark's choice
  std::uint32_t tokens = 0;  ///< route: tokens under way at once; 0: 1,024 a worker
  std::uint32_t inbox = 0;   ///< route, sustain: slots of a worker's inbox; 0: the library's choice
  std::uint32_t payload = 38;  ///< route: bytes
  bool hot = false;            ///< route: everybody sends to one
  std::uint32_t threads =
      0;  ///< inject, egress, letters: host threads; 0: 1, and 8 where there are as many cores
  std::uint32_t runs = 5;
  double seconds = 1;  ///< about how long a run takes
  std::uint32_t cluster =
      0;  ///< hop: workers a block cluster; 0: the library's choice, two for links
  std::uint64_t words = 0;  ///< hop: words of the tear test; 0: 10^10
  bool baselines = true;
  std::filesystem::path cache;  ///< empty: the library's choice
  std::vector<std::string> command;
  savina_options savina;
  graph_options graph;

  perdure::options system() const {
    perdure::options o;
    o.backend = backend;
    o.workers = workers;
    o.lanes = lanes_each;
    o.cache_dir = cache;
    o.inbox_slots = inbox;
    o.on_warning = tell_once;
    return o;
  }
};

struct wrong_answer : std::runtime_error {
  using std::runtime_error::runtime_error;
};

nlohmann::json rtt(const bench_options& options);
nlohmann::json inject(const bench_options& options);
nlohmann::json egress(const bench_options& options);
nlohmann::json letters(const bench_options& options);
nlohmann::json route(const bench_options& options);
/// Parts of route: --payload 8, and --hot.
nlohmann::json route_small(const bench_options& options);
nlohmann::json route_hot(const bench_options& options);
nlohmann::json hop(const bench_options& options);
nlohmann::json micro(const bench_options& options);
nlohmann::json sustain(const bench_options& options);
nlohmann::json start(const bench_options& options);
nlohmann::json clock(const bench_options& options);
nlohmann::json park(const bench_options& options);
nlohmann::json record(const bench_options& options);
nlohmann::json placement(const bench_options& options);
nlohmann::json savina(const bench_options& options);
nlohmann::json graph(const bench_options& options);
/// In a process of its own: one start to the first reply, as {reply_ms, start_ms, ...}.
nlohmann::json start_once(const bench_options& options, bool embedded);

}  // namespace bench
