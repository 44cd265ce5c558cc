// tests/corpus/refuse/message_pointer.hpp - refused: a pointer in a message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct note {
  std::uint32_t n;
  // EXPECT-ERROR: pointer.*text|text.*pointer
  const char* text;
};
struct reader : perdure::actor<reader> {
  std::uint32_t n = 0;
  void on(const note& m, perdure::context&) { n += m.n; }
};
