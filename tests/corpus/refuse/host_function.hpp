// tests/corpus/refuse/host_function.hpp - refused: a host-only function of the C library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct counter : perdure::actor<counter> {
  std::uint32_t sum = 0;
  void on(const tick& m, perdure::context&) {
    sum += m.n;
    // EXPECT-ERROR: printf
    std::printf("%u\n", sum);
  }
};
