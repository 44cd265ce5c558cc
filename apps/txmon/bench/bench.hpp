// apps/txmon/bench/bench.hpp - `txmon bench`: its options, and the report it writes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include "options.hpp"

namespace txmon::bench {

void declare(CLI::App& app, bench_options& options);
/// Measures, prints a table, writes the report. @throws failure; different if an answer was wrong
void run(bench_options options);

}  // namespace txmon::bench
