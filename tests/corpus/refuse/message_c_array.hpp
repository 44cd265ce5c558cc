// tests/corpus/refuse/message_c_array.hpp - refused: a C array in a message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct samples {
  // EXPECT-ERROR: C array|std::array
  std::uint16_t values[4];
};
struct reader : perdure::actor<reader> {
  std::uint32_t n = 0;
  void on(const samples& m, perdure::context&) { n += m.values[0]; }
};
