// tests/corpus/refuse/message_reference.hpp - refused: a reference in a message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct note {
  // EXPECT-ERROR: reference
  const std::uint32_t& n;
};
struct reader : perdure::actor<reader> {
  std::uint32_t n = 0;
  void on(const note& m, perdure::context&) { n += m.n; }
};
