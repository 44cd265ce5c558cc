// tests/corpus/accept/log_lines.hpp - ctx.log takes scalars of every kind, enums and references.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

enum class mood : std::uint8_t { calm, angry };
struct say {
  std::int32_t i;
  double d;
  bool b;
  mood m;
};

struct talker : perdure::actor<talker> {
  std::uint64_t lines = 0;
  void on(const say& m, perdure::context& ctx) {
    ++lines;
    ctx.log("said i={} d={} b={}", m.i, m.d, m.b);
    if (m.i > 20) ctx.log("mood={} me={} lines={}", m.m, ctx.self(*this), lines);
    if (m.b) ctx.log("nothing to add");
  }
};
