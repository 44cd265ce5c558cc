// tests/corpus/accept/wide_bases.hpp - wide actors with a base of data, a mixin with handlers, and a CRTP
//   base that says the width.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct feed {
  std::uint32_t n;
};
struct trim {
  std::uint32_t above;
};
struct ledger_part {
  std::uint64_t eaten = 0;
  std::uint32_t meals = 0;
};
template <class Self, int Lanes>
struct eater : perdure::block_actor<Self> {
  static constexpr int lanes = Lanes;
  void on(const feed& m, perdure::block_context& ctx) const {
    ctx.once(static_cast<const Self&>(*this), [&](Self& me) {
      me.eaten += m.n;
      ++me.meals;
    });
  }
};

struct cow : ledger_part, eater<cow, 96> {
  std::uint32_t stomach[100] = {};
  using eater<cow, 96>::on;
  void on(const trim& m, perdure::block_context& ctx) const {
    ctx.for_each<100>(*this, [&](cow& me, int i, int) {
      me.stomach[i] += static_cast<std::uint32_t>(me.eaten) + static_cast<std::uint32_t>(i);
      if (me.stomach[i] > m.above) me.stomach[i] = m.above;
    });
  }
};
struct goat : ledger_part, eater<goat, 32> {};
