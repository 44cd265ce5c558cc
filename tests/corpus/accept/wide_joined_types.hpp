// tests/corpus/accept/wide_joined_types.hpp - a joined handler that takes three types; ports in their
//   order, the first type at two ports.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: links and joined handlers; the host's messages come one at a time
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct begin_with {
  std::uint8_t hops;
  std::int32_t value;
};
struct face {
  std::array<std::int32_t, 20> v;
};
struct edge {
  std::uint8_t left;
  double weight;
};
struct permit {};

struct node : perdure::block_actor<node> {
  static constexpr int lanes = 32;
  enum class port { east, west, slope, ready };
  std::int32_t v[20] = {};
  double weight = 1.0;
  std::uint32_t fired = 0;

  void on(const begin_with& m, perdure::block_context& ctx) const {
    ctx.for_each<20>(*this, [&](node& me, int i, int) { me.v[i] += m.value % 100 + i; });
    emit(static_cast<std::uint8_t>(m.hops % 4U), ctx);
  }
  void on(const perdure::joined<face, edge, permit>& in, perdure::block_context& ctx) const {
    const auto& slope = in.get<edge>(port::slope);
    ctx.for_each<20>(*this, [&](node& me, int i, int) {
      const auto at = static_cast<std::size_t>(i);
      me.v[i] = (in.get<face>(port::east).v[at] * 3 - in.get<face>(port::west).v[19 - at] + me.v[i]) % 100'003;
    });
    ctx.once(*this, [&](node& me) {
      me.weight = me.weight * 0.5 + slope.weight;
      ++me.fired;
    });
    if (slope.left > 0) emit(static_cast<std::uint8_t>(slope.left - 1), ctx);
  }

 private:
  void emit(std::uint8_t left, perdure::block_context& ctx) const {
    const auto east = ctx.open<face>(port::east), west = ctx.open<face>(port::west);
    const auto slope = ctx.open<edge>(port::slope);
    ctx.for_each<20>(*this, [&](node& me, int i, int) {
      const auto at = static_cast<std::size_t>(i);
      east->v[at] = me.v[i];
      west->v[at] = -me.v[i];
    });
    ctx.once(*this, [&](node& me) { *slope = edge{left, me.weight}; });
    ctx.commit(east);
    ctx.commit(west);
    ctx.commit(slope);
    ctx.commit(ctx.open<permit>(port::ready));
  }
};
