// tests/corpus/refuse/message_union.hpp - refused: a union in a message: nothing says which member to print or check.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

union either {
  std::uint32_t whole;
  float real;
};
struct carried {
  // EXPECT-ERROR: union
  either value;
};
struct reader : perdure::actor<reader> {
  std::uint32_t n = 0;
  void on(const carried& m, perdure::context&) { n += m.value.whole; }
};
