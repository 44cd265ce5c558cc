// tools/perdure/child.hpp - this program again, or another one, in a process of its own, with an
// end to its time.
// Why: a device fault or a benchmark that hangs must take nothing else with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace bench {

struct child_outcome {
  int code = -1;  ///< exit code, or 128 and the signal's number
  bool late = false;
  double seconds = 0;
  std::string printed;  ///< run_program: standard output
};

/// Runs `perdure ARGUMENTS`; both streams go to `log`. After `limit_seconds` it is told to end, and
/// two seconds later it is ended. @throws std::runtime_error if it cannot be started.
child_outcome run_self(const std::vector<std::string>& arguments, const std::filesystem::path& log,
                       double limit_seconds);

/// Runs a command, the program's path first, by the same rules, and reads what it prints.
child_outcome run_program(const std::vector<std::string>& command, double limit_seconds);

}  // namespace bench
