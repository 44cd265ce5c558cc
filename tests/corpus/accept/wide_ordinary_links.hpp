// tests/corpus/accept/wide_ordinary_links.hpp - open and commit in ordinary handlers only: full links and
//   links that nobody has made lose what is sent.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: links and joined handlers; the host's messages come one at a time
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct produce {
  std::uint8_t how_many;
};
struct ware {
  std::uint32_t number, price;
};

struct consumer : perdure::block_actor<consumer> {
  static constexpr int lanes = 32;
  enum class port { first, second, third };
  std::uint64_t paid = 0;
  std::uint32_t wares = 0;
  void on(const perdure::joined<ware>& in, perdure::block_context& ctx) const {
    ctx.once(*this, [&](consumer& me) {
      for (const port p : {port::first, port::second, port::third}) {
        if (!in.linked(p)) continue;
        me.paid = me.paid * 3U + in.get<ware>(p).price;
        ++me.wares;
      }
    });
  }
};

struct producer : perdure::block_actor<producer> {
  static constexpr int lanes = 64;
  enum class port { market, other_market };
  std::uint32_t made = 0, refused = 0;
  void on(const produce& m, perdure::block_context& ctx) const {
    const auto out = ctx.open<ware>(port::market);
    const bool goes = static_cast<bool>(out);
    ctx.once(*this, [&](producer& me) {
      *out = ware{me.made, me.made * 7U + m.how_many};
      ++me.made;
      me.refused += goes ? 0U : 1U;
    });
    ctx.commit(out);
    if (m.how_many % 3U != 0) return;
    const auto second = ctx.open<ware>(port::other_market);
    ctx.once(*this, [&](producer& me) {
      second->number = me.made;
      second->price = 1;
    });
    ctx.commit(second);
    ctx.commit(second);  // the second time nothing happens
  }
};
