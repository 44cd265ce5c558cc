// tests/corpus/refuse/lambda_throws.hpp - refused: a lambda that throws, called by a handler.
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
    auto add = [this](std::uint32_t n) {
      // EXPECT-ERROR: throw|exception
      if (n == 0U) throw n;
      sum += n;
    };
    add(m.n);
  }
};
