// tests/corpus/accept/chrono_after.hpp - ctx.after with chrono literals, durations as arithmetic, several periods.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>

#include <perdure/actor.hpp>

using namespace std::chrono_literals;

struct wake {
  std::uint8_t times;
};
struct alarm_set {
  std::uint8_t times;
  std::uint16_t micros;
};

struct sleeper : perdure::actor<sleeper> {
  std::uint32_t wakes = 0;
  std::int64_t asked_us = 0;
  static constexpr std::chrono::microseconds longest = 2ms;

  void on(const alarm_set& m, perdure::context& ctx) {
    const std::chrono::microseconds asked{m.micros};
    const auto delay = asked < longest ? asked : longest;
    asked_us += delay.count();
    ctx.after(delay, ctx.self(*this), wake{static_cast<std::uint8_t>(m.times % 3U)});
    asked_us += std::chrono::duration_cast<std::chrono::milliseconds>(delay * 3).count();
    asked_us += (1ms + 500us == 1500us) ? 1 : 0;
  }
  void on(const wake& m, perdure::context& ctx) {
    ++wakes;
    if (m.times > 0) ctx.after(100us, ctx.self(*this), wake{static_cast<std::uint8_t>(m.times - 1U)});
  }
};
