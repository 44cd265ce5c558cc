// tests/corpus/refuse/syntax_error.hpp - refused: a header that is not C++.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct broken : perdure::actor<broken> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) {
    // EXPECT-ERROR: undeclared|unknown|no member
    sum += m.n + missing_name;
  }
};
