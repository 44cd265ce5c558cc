// tests/contract/actors/mills.hpp - wide actors whose lanes make messages of up to 64 KB together where these will lie.
// Why: a buffer that one lane has taken is filled by all of them, and read by a worker elsewhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/block_actor.hpp>

#include "sheets.hpp"

namespace mills {

using sheets::fill_of;
using sheets::poster;
using sheets::print;
using sheets::reader;
using sheets::sheet;
using sheets::sheet_of;

/// Every 16th message is a poster, the others are sheets, to a reader and to the next mill by turns.
struct mill : perdure::block_actor<mill> {
  static constexpr int lanes = 64;
  std::uint32_t index = 0, made = 0;      ///< for the reader
  std::uint32_t passed = 0, handled = 0;  ///< to the next mill, and from the one before
  std::uint32_t errors = 0, gaps = 0, last = 0;
  std::uint64_t noise = 0;  ///< the same whether a message found a buffer or not
  perdure::ref<reader> to;
  perdure::ref<mill> next;

  void on(const print& p, perdure::block_context& ctx) const {
    for (std::uint32_t n = 0; n < p.count; ++n) {
      if (n % 2 == 1) {
        make<sheet>(next, passed + 1, ctx);
      } else if (made % 16 == 15) {
        make<poster>(to, made + 1, ctx);
      } else {
        make<sheet>(to, made + 1, ctx);
      }
      ctx.once(*this, [&](mill& me) {
        ++(n % 2 == 1 ? me.passed : me.made);
        me.noise += ctx.random() >> 20U;
      });
    }
  }
  void on(const sheet& m, perdure::block_context& ctx) const {
    const auto wrong = ctx.reduce<125>(
        *this, 0U,
        [&](const mill&, int i) {
          const auto n = static_cast<std::uint32_t>(i);
          return m.fill[n] != fill_of(m.from, m.number, n) ? 1U : 0U;
        },
        [](std::uint32_t a, std::uint32_t b) { return a + b; });
    ctx.once(*this, [&](mill& me) {
      me.errors += wrong + (m.number <= me.last ? 1U : 0U);
      me.gaps += m.number != me.last + 1 ? 1U : 0U;
      me.last = m.number;
      ++me.handled;
    });
  }

 private:
  template <class M, class A>
  void make(perdure::ref<A> whom, std::uint32_t number, perdure::block_context& ctx) const {
    ctx.send_in_place<M>(whom, [&](M& m) {
      ctx.once(*this, [&](mill& me) {
        m.from = me.index;
        m.number = number;
      });
      ctx.for_each<static_cast<int>(std::tuple_size_v<decltype(m.fill)>)>(
          *this, [&](mill& me, int i, int) {
            const auto n = static_cast<std::uint32_t>(i);
            m.fill[n] = fill_of(me.index, number, n);
          });
    });
  }
};

}  // namespace mills
