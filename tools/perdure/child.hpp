// tools/perdure/child.hpp - this program again, in a process of its own, with an end to its time.
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
};

/// Runs `perdure ARGUMENTS`; both streams go to `log`. After `limit_seconds` it is told to end, and two seconds later it
/// is ended. @throws std::runtime_error if it cannot be started.
child_outcome run_child(const std::vector<std::string>& arguments, const std::filesystem::path& log,
                        double limit_seconds);

}  // namespace bench
