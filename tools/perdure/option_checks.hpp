// tools/perdure/option_checks.hpp - what a number or a name on the command line must be.
// Why: CLI::Range asks whether a value is outside, which "nan" is not.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

namespace bench {

/// A number from `low` to `high`, both included.
inline CLI::Validator real_between(double low, double high) {
  return CLI::Validator{
      [low, high](std::string& given) -> std::string {
        double value = 0;
        if (CLI::detail::lexical_cast(given, value) && value >= low && value <= high) return {};
        return fmt::format("{} is no number from {} to {}", given, low, high);
      },
      fmt::format("FLOAT in [{} - {}]", low, high)};
}

/// Some text: an empty name, as of a variable that is not set, would be taken for an option that is not given.
inline CLI::Validator not_empty() {
  return CLI::Validator{
      [](std::string& given) { return std::string{given.empty() ? "must not be empty" : ""}; }, ""};
}

}  // namespace bench
