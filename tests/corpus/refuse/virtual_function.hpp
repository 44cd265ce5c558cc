// tests/corpus/refuse/virtual_function.hpp - refused: a virtual function in a type that a handler uses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct shape {
  // EXPECT-ERROR: virtual
  virtual std::uint32_t area() const { return 1; }
};
struct tick {};
struct painter : perdure::actor<painter> {
  std::uint32_t n = 0;
  void on(const tick&, perdure::context&) {
    shape s;
    n += s.area();
  }
};
