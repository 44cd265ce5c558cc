// tests/corpus/refuse/std_string_local.hpp - refused: std::string in a handler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) {
    // EXPECT-ERROR: string
    const std::string text = std::to_string(m.n);
    // MAY-ERROR: string
    sum += static_cast<std::uint32_t>(text.size());
  }
};
