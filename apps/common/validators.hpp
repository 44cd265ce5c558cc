// apps/common/validators.hpp - what the options of several programs are checked for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

namespace apps {

/// CLI::Range takes what is not a number: that is neither below nor above.
inline const CLI::Validator is_number{[](const std::string& text) {
                                        double value = 0;
                                        const bool good = CLI::detail::lexical_cast(text, value) &&
                                                          std::isfinite(value);
                                        return good ? "" : "expected a number, found " + text;
                                      },
                                      "NUMBER"};

}  // namespace apps
