// dsl/examples/arguments.hpp - the one argument of every example: --backend auto|cpu|cuda.
// Why: the examples show actors; reading a command line is not what they are about.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "perdure/options.hpp"

namespace examples {

/// The backend asked for, automatic if none. Anything else on the command line ends the program with 2.
inline perdure::backend backend_of(int argc, char** argv) {
  if (argc == 1) return perdure::backend::automatic;
  if (argc == 3 && std::string_view{argv[1]} == "--backend") {
    const std::string_view name{argv[2]};
    if (name == "auto") return perdure::backend::automatic;
    if (name == "cpu") return perdure::backend::cpu;
    if (name == "cuda") return perdure::backend::cuda;
  }
  std::fprintf(stderr, "usage: %s [--backend auto|cpu|cuda]\n", argv[0]);
  std::exit(2);
}

}  // namespace examples
