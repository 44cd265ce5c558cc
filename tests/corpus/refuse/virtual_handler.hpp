// tests/corpus/refuse/virtual_handler.hpp - refused: a virtual handler.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
// MAY-ERROR: trivially copyable
struct painter : perdure::actor<painter> {
  std::uint32_t n = 0;
  // EXPECT-ERROR: virtual
  virtual void on(const tick&, perdure::context&) { ++n; }
};
