// tests/corpus/refuse/message_string.hpp - refused: std::string in a message, named as the member that is not trivially copyable.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <perdure/actor.hpp>

struct greeting {
  std::uint32_t n;
  // EXPECT-ERROR: name
  std::string name;
};
struct reader : perdure::actor<reader> {
  std::uint32_t n = 0;
  void on(const greeting& m, perdure::context&) { n += m.n; }
};
