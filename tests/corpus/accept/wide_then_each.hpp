// tests/corpus/accept/wide_then_each.hpp - regions with no barrier before them: behind another region, whose values they
//   read, behind each other, and at the beginning of a handler.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct stir {
  std::uint32_t by;
};

struct strip : perdure::block_actor<strip> {
  static constexpr int lanes = 64;
  std::array<std::uint32_t, 150> a{}, b{}, c{};
  std::uint32_t sum = 0;

  void on(const stir& m, perdure::block_context& ctx) const {
    ctx.then_each<150>(*this, [&](strip& me, int i, int) {
      me.a[static_cast<std::size_t>(i)] += m.by + static_cast<std::uint32_t>(i);
    });
    ctx.then_each<150>(*this, [&](strip& me, int i, int) {
      me.b[static_cast<std::size_t>(i)] = me.a[static_cast<std::size_t>(149 - i)] * 3U;
    });
    ctx.then_each<10, 15>(*this, [&](strip& me, int x, int y, int) {
      const auto i = static_cast<std::size_t>(y * 10 + x);
      me.c[i] ^= me.b[(i + 77) % 150];
    });
    ctx.once(*this, [](strip& me) {
      me.sum = 0;
      for (const std::uint32_t one : me.c) me.sum += one;
    });
  }
};
