// tests/corpus/refuse/state_shared_ptr.hpp - refused: std::shared_ptr in an actor's state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include <perdure/actor.hpp>

struct tick {};
struct keeper : perdure::actor<keeper> {
  std::uint32_t n = 0;
  // EXPECT-ERROR: shared_ptr|trivially copyable
  std::shared_ptr<std::uint32_t> shared;
  void on(const tick&, perdure::context&) { ++n; }
};
