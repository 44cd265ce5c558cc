// tests/corpus/refuse/message_too_large.hpp - refused: a message of more than 65,536 bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

// EXPECT-ERROR: 65,?536
struct page {
  std::array<std::uint8_t, 65537> bytes;
};
struct reader : perdure::actor<reader> {
  std::uint32_t n = 0;
  void on(const page& m, perdure::context&) { n += m.bytes[0]; }
};
