// tests/contract/actors/galleries.hpp - wide actors that write to hosts and answer them with up to 64 KB.
// Why: all lanes fill what one of them has a buffer for; in a region lanes write side by side, in the order of their indices.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/block_actor.hpp>

#include "albums.hpp"

namespace galleries {

using albums::book;
using albums::box;
using albums::card;
using albums::fill_of;
using albums::page;
using albums::show_book;
using albums::show_page;
using albums::write;

/// For each of so many: six letters of a region by rising index, some cards and some pages; then, outside, a page or a book.
struct gallery : perdure::block_actor<gallery> {
  static constexpr int lanes = 64;
  static constexpr std::uint32_t in_region = 6, a_round = in_region + 1;
  std::uint32_t index = 0, written = 0;
  perdure::ref<box> to;

  void on(const write& w, perdure::block_context& ctx) const {
    for (std::uint32_t n = 0; n < w.count; ++n) {
      ctx.for_each<static_cast<int>(in_region)>(*this, [&](gallery& me, int i, int) {
        const std::uint32_t number = me.written + 1 + static_cast<std::uint32_t>(i);
        if (i % 3 == 1) {
          put<card>(me, number, ctx);
        } else {
          put<page>(me, number, ctx);
        }
      });
      const std::uint32_t number = written + a_round;
      if (n % 8 == 3) {
        write_one<book>(number, ctx);
      } else {
        write_one<page>(number, ctx);
      }
      ctx.once(*this, [](gallery& me) { me.written += a_round; });
    }
  }
  void on(const show_page& s, perdure::block_context& ctx) const {
    page m;
    albums::fill_in(m, index, s.number);
    ctx.reply(m);
  }
  void on(const show_book& s, perdure::block_context& ctx) const {
    ctx.reply_in_place<book>([&](book& m) {
      ctx.once(*this, [&](gallery& me) {
        m.from = me.index;
        m.number = s.number;
      });
      ctx.for_each<8'191>(*this, [&](gallery& me, int i, int) {
        const auto n = static_cast<std::uint32_t>(i);
        m.fill[n] = fill_of(me.index, s.number, n);
      });
    });
  }

 private:
  template <class M>
  static void put(const gallery& me, std::uint32_t number, perdure::block_context& ctx) {
    M m;
    albums::fill_in(m, me.index, number);
    ctx.send(me.to, m);
  }
  template <class M>
  void write_one(std::uint32_t number, perdure::block_context& ctx) const {
    ctx.send_in_place<M>(to, [&](M& m) {
      ctx.once(*this, [&](gallery& me) {
        m.from = me.index;
        m.number = number;
      });
      ctx.for_each<static_cast<int>(std::tuple_size_v<decltype(m.fill)>)>(
          *this, [&](gallery& me, int i, int) {
            const auto n = static_cast<std::uint32_t>(i);
            m.fill[n] = fill_of(me.index, number, n);
          });
    });
  }
};

}  // namespace galleries
