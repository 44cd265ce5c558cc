// tests/corpus/refuse/message_nested_member.hpp - refused: a member of a member that is not trivially copyable is named.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct handle {
  std::uint32_t id = 0;
  handle() = default;
  handle(const handle& o) : id{o.id + 1U} {}
  handle& operator=(const handle&) = default;
};
struct wrapped {
  std::uint32_t n;
  // EXPECT-ERROR: trivially copyable
  handle inner;
};
struct reader : perdure::actor<reader> {
  std::uint32_t n = 0;
  void on(const wrapped& m, perdure::context&) { n += m.n; }
};
