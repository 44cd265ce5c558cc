// tests/tools/perdure_programs/bench_run.hpp - runs a program, and a benchmark with its report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>

struct ran {
  int code = -1;
  std::string text;       ///< both streams
  nlohmann::json report;  ///< null if none was written
};

/// Runs a command line.
ran run_line(const std::string& line);

/// `perdure bench NAME --backend cpu --workers 2 --runs 2 --json FILE MORE`, and checks what all
/// reports have.
ran run_bench(const std::string& name, const std::string& more);
