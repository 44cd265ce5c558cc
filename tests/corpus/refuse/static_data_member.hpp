// tests/corpus/refuse/static_data_member.hpp - refused: a mutable static data member.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  inline static std::uint32_t made = 0;
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) {
    // EXPECT-ERROR: made
    made += m.n;
    ++sum;
  }
};
