// apps/txmon/source.cpp - see source.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "source.hpp"

#include <fmt/format.h>

namespace txmon {

failure another_input(const std::string& name, const char* unit, std::uint64_t at) {
  return failure{
      fmt::format(
          "{}: is another input than the checkpoint's: up to {} {} it is not what was read then; "
          "give that one, or begin anew in another folder with other alerts",
          name, unit, at),
      exit_code::usage};
}

}  // namespace txmon
