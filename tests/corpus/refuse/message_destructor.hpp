// tests/corpus/refuse/message_destructor.hpp - refused: a message with a destructor of its own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct receipt {
  std::uint32_t n;
  // EXPECT-ERROR: trivially copyable
  ~receipt() {}
};
struct reader : perdure::actor<reader> {
  std::uint32_t n = 0;
  void on(const receipt& m, perdure::context&) { n += m.n; }
};
