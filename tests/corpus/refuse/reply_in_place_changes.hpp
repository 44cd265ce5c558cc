// tests/corpus/refuse/reply_in_place_changes.hpp - refused: what fills the answer of reply_in_place() changes something else, or is
//   called where a wide actor's lanes are side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>
#include <perdure/block_actor.hpp>

struct go {
  std::uint32_t count;
};
struct page {
  std::array<std::uint32_t, 100> w;
};

struct press : perdure::actor<press> {
  std::uint32_t number = 0;
  void on(const go& g, perdure::context& ctx) {
    ctx.reply_in_place<page>([&](page& m) {
      // EXPECT-ERROR: 'number' is written in what fills the message of reply_in_place\(\), which is not called where no buffer is left; do it before or behind
      m.w[0] = g.count + ++number;
    });
  }
};

struct hall : perdure::block_actor<hall> {
  static constexpr int lanes = 32;
  std::uint32_t number = 0;
  void on(const go& g, perdure::block_context& ctx) const {
    ctx.for_each<32>(*this, [&](hall&, int, int) {
      // EXPECT-ERROR: 'reply_in_place' cannot be called inside a region
      ctx.reply_in_place<page>([&](page& m) { m.w[0] = g.count; });
    });
  }
};
