// tests/corpus/refuse/typeid_expression.hpp - refused: run-time type information.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <typeinfo>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) {
    // EXPECT-ERROR: typeid|type_info
    sum += m.n + (typeid(m) == typeid(int) ? 1U : 0U);
  }
};
