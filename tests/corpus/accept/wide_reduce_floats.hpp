// tests/corpus/accept/wide_reduce_floats.hpp - reduce over float and double, where the order of additions
//   is seen in the last bit.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once


#include <perdure/actor.hpp>

struct sample {
  float scale;
  double shift;
};

struct signal : perdure::block_actor<signal> {
  static constexpr int lanes = 96;
  float x[1000] = {};
  float sum = 0.0F;
  double energy = 0.0;
  float largest = 0.0F;

  void on(const sample& m, perdure::block_context& ctx) const {
    ctx.for_each<1000>(*this, [&](signal& me, int i, int) {
      me.x[i] = me.x[i] * 0.75F + m.scale / static_cast<float>(i + 3);
    });
    const float total = ctx.reduce<1000>(
        *this, 0.0F, [](const signal& me, int i) { return me.x[i]; }, [](float a, float b) { return a + b; });
    const double squares = ctx.reduce<1000>(
        *this, 0.0, [&](const signal& me, int i) { return (double{me.x[i]} - m.shift) * double{me.x[i]}; },
        [](double a, double b) { return a + b; });
    const float top = ctx.reduce<50>(
        *this, -1.0e30F, [](const signal& me, int i) { return me.x[i * 20]; },
        [](float a, float b) { return a < b ? b : a; });
    ctx.once(*this, [&](signal& me) {
      me.sum = total;
      me.energy += squares;
      me.largest = top;
    });
  }
};
