// tests/corpus/accept/wide_extents_2d.hpp - two-dimensional extents: rows that divide the lanes, that do
//   not, and that are longer.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct warm {
  float by;
};

struct plate : perdure::block_actor<plate> {
  static constexpr int lanes = 64;
  float narrow[9][16] = {};
  float crooked[5][21] = {};
  float wide[3][100] = {};
  std::int32_t k_sum[9][16] = {};

  void on(const warm& m, perdure::block_context& ctx) const {
    ctx.for_each<16, 9>(*this, [&](plate& me, int x, int y, int k) {
      me.narrow[y][x] = me.narrow[y][x] * 0.5F + m.by * static_cast<float>(x - y);
      me.k_sum[y][x] += k + 1;
    });
    ctx.for_each<21, 5>(*this, [&](plate& me, int x, int y, int k) {
      me.crooked[y][x] += me.narrow[y + 1][x % 16] - static_cast<float>(k);
    });
    ctx.for_each<100, 3>(*this, [&](plate& me, int x, int y, int) {
      const float above = y > 0 ? me.crooked[y][x % 21] : 0.0F;
      me.wide[y][x] = (me.wide[y][x] + above) * 0.25F;
    });
  }
};
