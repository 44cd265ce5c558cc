// tests/corpus/accept/random_draws.hpp - ctx.random is keyed by actor, messages handled and draw, so every backend draws the same.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct roll {
  std::uint8_t dice;
};

constexpr std::uint32_t die(std::uint64_t bits) { return static_cast<std::uint32_t>((bits >> 32U) % 6U) + 1U; }

struct gambler : perdure::actor<gambler> {
  std::uint64_t total = 0;
  std::uint64_t last_draw = 0;
  std::uint32_t sixes = 0;
  void on(const roll& m, perdure::context& ctx) {
    const std::uint32_t dice = m.dice % 5U;
    for (std::uint32_t i = 0; i < dice; ++i) {
      const std::uint32_t thrown = die(ctx.random());
      total += thrown;
      sixes += thrown == 6U ? 1U : 0U;
    }
    last_draw = ctx.random();
  }
};
