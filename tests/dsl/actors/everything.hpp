// tests/dsl/actors/everything.hpp - a header that uses all a small actor may: no tool needed to compile it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>

#include "perdure/actor.hpp"

namespace everything {

enum class mood : std::uint8_t { calm, busy };
struct alarm {
  std::uint32_t level;
  perdure::any_ref from;
};
struct tick {};
struct sample {
  std::array<float, 4> values;
  mood state;
  bool last;
};
struct mean {
  float value;
};

struct sink;

struct source : perdure::actor<source> {
  perdure::ref<sink> to;  // the two name each other: sink is still incomplete here
  std::uint32_t left = 3;

  void on(const tick&, perdure::context& ctx);
};

struct sink : perdure::actor<sink> {
  perdure::ref<perdure::host<alarm>> alarms;
  float recent[8] = {};
  std::uint32_t count : 31 = 0;
  std::uint32_t busy : 1 = 0;

  void on(const sample& s, perdure::context& ctx) {
    for (const float v : s.values) recent[count++ % 8] = v;
    busy = s.state == mood::busy ? 1U : 0U;
    if (busy != 0U) ctx.send(alarms, alarm{count, ctx.sender()});
    if (s.last) ctx.stop();
    if (recent[0] < 0) ctx.fail(1);
    ctx.reply(mean{recent[0] / 2});
    if (auto back = perdure::ref_cast<source>(ctx.sender())) ctx.send(back, tick{});
  }
};

inline void source::on(const tick&, perdure::context& ctx) {
  using namespace std::chrono_literals;
  if (left == 0) return;
  --left;
  const auto noise = static_cast<float>(ctx.random() >> 40U);
  ctx.send(to, sample{{noise, 1, 2, 3}, mood::calm, left == 0});
  ctx.after(5ms, ctx.self(*this), tick{});
  ctx.log("left={} at={} self={}", left, ctx.now().bits, ctx.self(*this));
}

}  // namespace everything
