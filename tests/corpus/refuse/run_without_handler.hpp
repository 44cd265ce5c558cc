// tests/corpus/refuse/run_without_handler.hpp - refused: on_run() for a message that the actor does not handle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct tock {
  std::uint32_t n;
};
struct clock_face : perdure::actor<clock_face> {
  std::uint32_t n = 0;
  void on(const tick& m, perdure::context&) { n += m.n; }
  // EXPECT-ERROR: on_run stands beside the handler of its message, and there is none
  std::uint32_t on_run(const perdure::run<tock>& run) { return run.size(); }
};
