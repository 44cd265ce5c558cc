// tests/corpus/refuse/wide_made_in_place_changes.hpp - refused: what fills a wide actor's message changes something else, in regions and
//   between them, or is called in a region.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct go {
  std::uint32_t count;
};
struct page {
  std::array<std::uint32_t, 100> w;
};
struct sink : perdure::actor<sink> {
  std::uint32_t pages = 0;
  void on(const page&, perdure::context&) { ++pages; }
  void on(const go&, perdure::context&) {}
};

struct press : perdure::block_actor<press> {
  static constexpr int lanes = 32;
  perdure::ref<sink> to;
  std::uint32_t number = 0;
  perdure::per_lane<std::uint32_t> mine;
  void on(const go& g, perdure::block_context& ctx) const {
    std::uint32_t made = 0;
    ctx.send_in_place<page>(to, [&](page& m) {
      // EXPECT-ERROR: 'made' is written in what fills the message of send_in_place\(\), which is not called where no buffer is left
      made += 1;
      // EXPECT-ERROR: 'send' is called in what fills the message of send_in_place\(\)
      ctx.send(to, g);
      // EXPECT-ERROR: 'now' is called in what fills the message of send_in_place\(\)
      const auto at = ctx.now();
      std::uint32_t own = 0;
      own += 1;
      // EXPECT-ERROR: 'm' is written by every lane there; write to it in for_each\(\) or once\(\)
      m.w[0] += own;
      // EXPECT-ERROR: 'm' is written by every lane there
      m.w.fill(7);
      auto& whole = m.w;
      // EXPECT-ERROR: 'made' is written in what fills the message of send_in_place\(\)
      auto& of_all = made;
      // EXPECT-ERROR: 'keeps_to_groups' cannot be called in what fills the message of send_in_place\(\), whose regions all lanes end together
      ctx.keeps_to_groups();
      // EXPECT-ERROR: 'block_context' is handed on in what fills the message of send_in_place\(\)
      helper(ctx);
      ctx.for_each<100>(*this, [&](press& me, int i, int) {
        m.w[static_cast<std::size_t>(i)] = me.number + own + static_cast<std::uint32_t>(at.bits);
        // EXPECT-ERROR: 'number' is written in what fills the message of send_in_place\(\)
        me.number = 1;
        // EXPECT-ERROR: 'made' is written in what fills the message of send_in_place\(\)
        made = 2;
        whole[static_cast<std::size_t>(i)] += 1;
        // EXPECT-ERROR: 'of_all' is written in what fills the message of send_in_place\(\)
        of_all = 2;
        m.w[0] = me.mine(ctx);
        // EXPECT-ERROR: 'mine' is written in what fills the message of send_in_place\(\)
        me.mine(ctx) = 1;
        // EXPECT-ERROR: 'bump' is called, which is not const, in what fills the message of send_in_place\(\)
        me.bump();
        // EXPECT-ERROR: 'own' is written in what fills the message of send_in_place\(\)
        own = 3;
      });
    });
    ctx.for_each<2>(*this, [&](press& me, int, int) {
      // EXPECT-ERROR: 'send_in_place' cannot be called inside a region
      ctx.send_in_place<page>(me.to, [&](page& m) { m.w[0] = 1; });
    });
    const auto fill = [](page& m) { m.w[0] = 1; };
    // EXPECT-ERROR: what fills the message of send_in_place\(\) must be a lambda written in its call
    ctx.send_in_place<page>(to, fill);
  }

 private:
  void bump() { ++number; }
  void helper(perdure::block_context& ctx) const {
    ctx.once(*this, [](press& me) { ++me.number; });
  }
};
