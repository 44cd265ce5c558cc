// tools/perdure/child.hpp - runs another program and reads what it prints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace bench {

struct child_outcome {
  int code = -1;        ///< exit code; -1: ended by a signal or not started
  bool late = false;    ///< it ran past the time allowed and was ended
  std::string printed;  ///< standard output
};

/// Waits for its end; never longer than `seconds` and what it takes to end it.
child_outcome run_child(const std::vector<std::string>& command, double seconds);

}  // namespace bench
