// apps/common/validators.hpp - what the options of several programs are checked for.
// Why: CLI11 takes in silence what nobody has meant: nan within a range, 010 for eight, nothing for a name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace apps {

/// CLI::Range takes what is not a number: that is neither below nor above.
inline const CLI::Validator is_number{[](const std::string& text) {
                                        double value = 0;
                                        const bool good = CLI::detail::lexical_cast(text, value) &&
                                                          std::isfinite(value);
                                        return good ? "" : "expected a number, found " + text;
                                      },
                                      "NUMBER"};

/// A script's variable that is not set leaves nothing, which would be taken for an option that was left out; or, without
/// quotes, the next option.
inline const CLI::Validator is_path{[](const std::string& text) -> std::string {
                                      if (text.empty()) return "expected a path, found nothing";
                                      if (!text.starts_with("--")) return "";
                                      return "expected a path, found the option " + text;
                                    },
                                    ""};

/// CLI11 takes 010 for eight, and what is too large for the largest number there is.
inline const CLI::Validator is_decimal{
    [](const std::string& text) {
      const auto digits = std::string_view{text}.substr(text.starts_with('-') ? 1 : 0);
      std::uint64_t value = 0;
      const auto [stop, code] =
          std::from_chars(digits.data(), digits.data() + digits.size(), value);
      const bool good = code == std::errc{} && stop == digits.data() + digits.size() &&
                        (digits.size() == 1 || digits.front() != '0');
      return good ? ""
                  : "expected a whole number below 2^64 in decimal digits, no 0 in front, found " +
                        text;
    },
    ""};

/// Of all its options that are whole numbers; to be called behind the last of them.
inline void take_decimals_only(CLI::App& app) {
  for (CLI::Option* each : app.get_options({})) {
    const std::string type = each->get_type_name();
    if (type.starts_with("INT") || type.starts_with("UINT")) each->check(is_decimal);
  }
}

}  // namespace apps
