// tests/corpus/accept/wide_uniform_branches.hpp - uniform control flow around regions: if, switch, loops,
//   early return, members read outside.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

enum class mode : std::uint8_t { add, twice, clear };
struct command {
  mode what;
  std::uint32_t n;
};

struct machine : perdure::block_actor<machine> {
  static constexpr int lanes = 32;
  std::uint32_t cell[40] = {};
  std::uint32_t commands = 0, skipped = 0;

  void on(const command& m, perdure::block_context& ctx) const {
    ctx.once(*this, [](machine& me) { ++me.commands; });
    const std::uint32_t before = cell[0];  // read by all lanes, outside a region
    if (m.n % 5U == 0) {
      ctx.once(*this, [](machine& me) { ++me.skipped; });
      return;
    }
    switch (m.what) {
      case mode::add:
        ctx.for_each<40>(*this, [&](machine& me, int i, int) { me.cell[i] += m.n + before; });
        break;
      case mode::twice:
        for (std::uint32_t t = 0; t < m.n % 3U + 1U; ++t)
          ctx.for_each<40>(*this, [](machine& me, int i, int) { me.cell[i] *= 2U; });
        break;
      default:
        ctx.for_each<40>(*this, [](machine& me, int i, int) { me.cell[i] = static_cast<std::uint32_t>(i); });
    }
    while (cell[1] > 1'000'000U) ctx.once(*this, [](machine& me) { me.cell[1] /= 3U; });
  }
};
