// tests/corpus/refuse/state_packed.hpp - refused: a packed type in an actor's state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

// EXPECT-ERROR: packed
struct __attribute__((packed)) tight {
  std::uint8_t a = 0;
  std::uint32_t b = 0;
};
struct tick {};
struct keeper : perdure::actor<keeper> {
  tight t;
  void on(const tick&, perdure::context&) { t.b = t.b + 1U; }
};
