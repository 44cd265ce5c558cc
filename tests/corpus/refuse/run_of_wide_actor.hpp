// tests/corpus/refuse/run_of_wide_actor.hpp - refused: on_run() of a wide actor.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32;
  std::uint32_t n = 0;
  void on(const tick&, perdure::block_context&) const {}
  // EXPECT-ERROR: a wide actor handles each message with all its lanes
  std::uint32_t on_run(const perdure::run<tick>& run) const { return run.size(); }
};
