// dsl/examples/arguments.hpp - the command line of an example: --backend auto|cpu|cuda, and a count if it has one.
// Why: the examples show actors; reading a command line is not what they are about.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "perdure/options.hpp"

namespace examples {

/// An option whose value is a whole number, such as --frames.
struct counted {
  const char* name;
  std::uint32_t most, value;  ///< `value` is what holds where the option is not given
};

/// The backend asked for, automatic if none; `count`, where the example has one, takes the number that follows its
/// name. Anything else on the command line ends the program with 2 and says what was wrong.
inline perdure::backend backend_of(int argc, char** argv, counted* count = nullptr) {
  auto chosen = perdure::backend::automatic;
  auto number = [&](std::string_view text) {
    const char* const end = text.data() + text.size();
    const auto [stop, why] = std::from_chars(text.data(), end, count->value);
    return why == std::errc{} && stop == end && count->value >= 1 && count->value <= count->most;
  };
  auto understood = [&](std::string_view option, std::string_view value) {
    if (option == "--backend") {
      chosen = value == "cpu"    ? perdure::backend::cpu
               : value == "cuda" ? perdure::backend::cuda
                                 : perdure::backend::automatic;
      return value == "auto" || chosen != perdure::backend::automatic;
    }
    return count != nullptr && option == count->name && number(value);
  };
  for (int i = 1; i < argc; i += 2) {
    if (i + 1 < argc && understood(argv[i], argv[i + 1])) continue;
    std::fprintf(stderr, "%s: not understood: %s %s\nusage: %s [--backend auto|cpu|cuda]", argv[0],
                 argv[i], i + 1 < argc ? argv[i + 1] : "", argv[0]);
    if (count != nullptr) std::fprintf(stderr, " [%s 1..%u]", count->name, count->most);
    std::fprintf(stderr, "\n");
    std::exit(2);
  }
  return chosen;
}

}  // namespace examples
