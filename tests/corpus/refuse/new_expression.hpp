// tests/corpus/refuse/new_expression.hpp - refused: new and delete.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) {
    // EXPECT-ERROR: new
    auto* p = new std::uint32_t{m.n};
    sum += *p;
    // EXPECT-ERROR: delete
    delete p;
  }
};
