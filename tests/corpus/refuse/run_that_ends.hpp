// tests/corpus/refuse/run_that_ends.hpp - refused: on_run() that stops its actor, or has it fail.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
struct meter : perdure::actor<meter> {
  std::uint32_t n = 0;
  void on(const tick& m, perdure::context& ctx) {
    n += m.n;
    if (n > 1000) ctx.stop();
  }
  std::uint32_t on_run(const perdure::run<tick>& run) {
    run.in_order(1U, [&](std::uint32_t, perdure::context& ctx) {
      // EXPECT-ERROR: stop.. is not for on_run..: return before that message, and on.. handles it
      ctx.stop();
    });
    run.in_order(2U, [&](std::uint32_t, perdure::context& ctx) { give_up(ctx); });
    return run.size();
  }

 private:
  void give_up(perdure::context& ctx) {
    // EXPECT-ERROR: fail.. is not for on_run
    ctx.fail(n);
  }
};
