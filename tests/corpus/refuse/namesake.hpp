// tests/corpus/refuse/namesake.hpp - refused: a global type named like its header, where generated code has a namespace.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {};
// EXPECT-ERROR: rename the header
struct namesake : perdure::actor<namesake> {
  std::uint32_t n = 0;
  void on(const tick&, perdure::context&) { ++n; }
};
