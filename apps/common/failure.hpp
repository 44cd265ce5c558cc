// apps/common/failure.hpp - the exits of the program, and the one exception that leads to them.
// Why: a script tells wrong input from wrong usage and from a wrong answer by the exit code alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

namespace apps {

enum class exit_code : int {
  done = 0,
  failed = 1,     ///< input, output or device
  usage = 2,      ///< the command line or the rule file
  different = 3,  ///< --verify: actors and oracle disagree
};

/// Carries one line for people and the code to leave with; thrown anywhere, caught in main.
class failure : public std::runtime_error {
 public:
  explicit failure(const std::string& what, exit_code code = exit_code::failed)
      : std::runtime_error{what}, code_{code} {}
  exit_code code() const noexcept { return code_; }

 private:
  exit_code code_;
};

}  // namespace apps
