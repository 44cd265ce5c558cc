// tests/corpus/refuse/actor_without_handler.hpp - refused: an actor that handles nothing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
struct busy : perdure::actor<busy> {
  std::uint32_t n = 0;
  void on(const tick&, perdure::context&) { ++n; }
};
// EXPECT-ERROR: handler
struct idle : perdure::actor<idle> {
  std::uint32_t n = 0;
};
