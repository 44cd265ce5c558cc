// dsl/examples/dot/dot.hpp - a dot product on wide actors: each owns a piece, reduce() gives the sum to all lanes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>

#include <perdure/actor.hpp>

struct dot_product {
  double value;
};
struct multiply {
  float scale;
};

struct piece : perdure::block_actor<piece> {
  static constexpr int lanes = 256;
  static constexpr int length = 4096;
  std::array<float, length> a;
  std::array<float, length> b;
  int asked = 0;

  void on(const multiply& m, perdure::block_context& ctx) const {
    ctx.for_each<length>(*this, [&](piece& me, std::size_t i, int) { me.a[i] *= m.scale; });
    const double sum = ctx.reduce<length>(
        *this, 0.0, [](const piece& me, std::size_t i) { return double{me.a[i]} * me.b[i]; },
        [](double x, double y) { return x + y; });
    ctx.once(*this, [](piece& me) { ++me.asked; });
    ctx.reply(dot_product{sum});
  }
};
