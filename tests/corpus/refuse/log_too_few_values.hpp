// tests/corpus/refuse/log_too_few_values.hpp - refused: log texts that name more values than they get, or have braces without partners.
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
    ctx.log("{:>5}", n);
    ctx.log("{0:#x}, {0}, {{{0}}}, {0:>{1}}", n, 5U);
    ctx.log("{:{}}", n, 5U);
    // EXPECT-ERROR: the format has a brace without a partner, or both \{\} and \{0\}; one that is printed is written twice
    ctx.log("{} and {0}", n);
    // EXPECT-ERROR: the format has a brace without a partner
    ctx.log("{", n);
    // EXPECT-ERROR: the format has a brace without a partner
    ctx.log("set } of {}", n);
    // EXPECT-ERROR: the format has a brace without a partner
    ctx.log("{{{", n);
  }
};
