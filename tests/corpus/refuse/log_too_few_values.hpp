// tests/corpus/refuse/log_too_few_values.hpp - refused: a log text that names more values than it gets.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t by;
};
struct counter : perdure::actor<counter> {
  std::uint32_t n = 0;
  void on(const tick& m, perdure::context& ctx) {
    n += m.by;
    ctx.log("{{}} is text, {} of {} in turn", m.by, n);
    ctx.log("{0} and {0} again", n);
    // EXPECT-ERROR: names 2 values and gets 1
    ctx.log("added {} to {}", m.by);
  }
};
