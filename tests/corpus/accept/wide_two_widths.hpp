// tests/corpus/accept/wide_two_widths.hpp - two wide types of different width in one program, linked with
//   each other both ways.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: links and joined handlers; the host's messages come one at a time
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct start {
  std::uint32_t by;
};
struct half {
  std::uint32_t left;
  std::array<std::uint32_t, 48> v;
};

struct narrow : perdure::block_actor<narrow> {
  static constexpr int lanes = 32;
  enum class port : std::uint8_t { io };
  std::uint32_t v[48] = {};
  perdure::per_lane<std::uint32_t> mine;
  void on(const start& m, perdure::block_context& ctx) const {
    ctx.for_each<48>(*this, [&](narrow& me, int i, int) { me.v[i] += m.by ^ static_cast<std::uint32_t>(i); });
    pass(m.by % 5U, ctx);
  }
  void on(const perdure::joined<half>& in, perdure::block_context& ctx) const {
    const half& m = in[port::io];
    ctx.for_each<48>(*this, [&](narrow& me, int i, int) {
      me.mine(ctx) += m.v[static_cast<std::size_t>(i)];
      me.v[i] = me.v[i] * 3U + me.mine(ctx);
    });
    if (m.left > 0) pass(m.left - 1, ctx);
  }
  void pass(std::uint32_t left, perdure::block_context& ctx) const {
    const auto out = ctx.open<half>(port::io);
    ctx.for_each<48>(*this, [&](narrow& me, int i, int) { out->v[static_cast<std::size_t>(i)] = me.v[i]; });
    ctx.once(*this, [&](narrow&) { out->left = left; });
    ctx.commit(out);
  }
};

struct broad : perdure::block_actor<broad> {
  static constexpr int lanes = 256;
  enum class port { in, spare };
  std::uint64_t sum = 0;
  std::uint32_t fired = 0;
  perdure::per_lane<std::uint64_t> mine;
  void on(const perdure::joined<half>& in, perdure::block_context& ctx) const {
    std::uint32_t left = 0;
    for (const port p : {port::in, port::spare}) {
      if (in.linked(p)) left += in[p].left;
    }
    ctx.for_each<48>(*this, [&](broad& me, int i, int) {
      for (const port p : {port::in, port::spare}) {
        if (in.linked(p)) me.mine(ctx) += in[p].v[static_cast<std::size_t>(i)];
      }
    });
    const auto all = ctx.reduce<256>(
        *this, std::uint64_t{0}, [&](const broad& me, int) { return me.mine(ctx); },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
    ctx.once(*this, [&](broad& me) {
      me.sum = all;
      ++me.fired;
    });
    if (left == 0) return;
    const auto back = ctx.open<half>(port::in);
    ctx.for_each<48>(*this, [&](broad&, int i, int) {
      back->v[static_cast<std::size_t>(i)] = static_cast<std::uint32_t>(all) + static_cast<std::uint32_t>(i);
    });
    ctx.once(*this, [&](broad&) { back->left = left - 1; });
    ctx.commit(back);
  }
};
