// tests/corpus/refuse/message_bit_field.hpp - refused: a bit-field in a message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct flags {
  std::uint32_t plain;
  // EXPECT-ERROR: bit-field
  std::uint32_t low : 3;
};
struct reader : perdure::actor<reader> {
  std::uint32_t n = 0;
  void on(const flags& m, perdure::context&) { n += m.plain + m.low; }
};
