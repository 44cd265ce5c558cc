// tests/corpus/accept/made_in_place.hpp - send_in_place(): messages over 240 bytes and under, from a hot handler and from one that is
//   not, from a function that the handler calls; what fills them reads members, locals and the context's self().
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

template <std::size_t Words>
struct sheet {
  perdure::any_ref from;
  std::array<std::uint32_t, Words> w;
};
struct order {
  std::uint32_t seed, count;
};

struct reader : perdure::actor<reader> {
  std::uint64_t digest = 1;
  std::uint32_t unknown = 0;
  void on(const sheet<20>& m, perdure::context& ctx) { take(m, ctx); }
  void on(const sheet<100>& m, perdure::context& ctx) { take(m, ctx); }
  void on(const sheet<3000>& m, perdure::context& ctx) { take(m, ctx); }

 private:
  template <std::size_t Words>
  void take(const sheet<Words>& m, perdure::context& ctx) {
    for (const std::uint32_t w : m.w) digest = digest * 31U + w;
    unknown += m.from == ctx.sender() ? 0U : 1U;
  }
};

struct writer : perdure::actor<writer> {
  perdure::ref<reader> to;
  std::uint32_t made = 0, mix = 3;
  void on(const order& o, perdure::context& ctx) {
    const std::uint32_t first = o.seed;
    ctx.send_in_place<sheet<3000>>(to, [&](sheet<3000>& m) {
      m.from = ctx.self(*this);
      std::uint32_t x = first;
      for (std::size_t i = 0; i < m.w.size(); ++i) m.w[i] = x = x * 1664525U + mix;
    });
    ++made;
    for (std::uint32_t n = 0; n < o.count % 4; ++n) make(o.seed + n, ctx);
    mix += made;
  }

 private:
  void make(std::uint32_t seed, perdure::context& ctx) {
    ctx.send_in_place<sheet<100>>(to, [this, seed, me = ctx.self(*this)](auto& m) {
      m.from = me;
      m.w.fill(seed + mix);
    });
    ctx.send_in_place<sheet<20>>(to, [&](sheet<20>& m) {
      m = {ctx.self(*this), {}};
      m.w[seed % 20] = seed;
    });
    made += 2;
  }
};

struct hot_writer : perdure::actor<hot_writer> {
  static constexpr bool hot = true;
  perdure::ref<reader> to;
  std::uint32_t made = 0;
  void on(const order& o, perdure::context& ctx) {
    ctx.send_in_place<sheet<100>>(to, [&](sheet<100>& m) {
      m.from = ctx.self(*this);
      for (std::size_t i = 0; i < m.w.size(); ++i) m.w[i] = o.seed + made;
    });
    ctx.send_in_place<sheet<20>>(to, [&](sheet<20>& m) { m = {ctx.self(*this), {o.count}}; });
    ++made;
  }
};
