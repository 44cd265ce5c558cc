// tests/corpus/accept/wide_sends_in_regions.hpp - sends inside for_each: one an index, several an index,
//   none at some; order by index is seen.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct fill {
  std::uint32_t seed;
};
struct item {
  std::uint32_t index;
  std::uint32_t value;
};
struct last_item {
  std::uint32_t count;
};

struct reader : perdure::actor<reader> {
  std::uint64_t digest = 1;  // depends on the order
  std::uint32_t items = 0, ends = 0;
  void on(const item& m, perdure::context&) {
    digest = digest * 1099511628211U + m.index * 31U + m.value;
    ++items;
  }
  void on(const last_item& m, perdure::context&) {
    digest ^= m.count;
    ++ends;
  }
};

struct writer : perdure::block_actor<writer> {
  static constexpr int lanes = 32;
  perdure::ref<reader> a, b;
  std::uint32_t v[75] = {};

  void on(const fill& m, perdure::block_context& ctx) const {
    ctx.send(b, last_item{m.seed});
    ctx.for_each<75>(*this, [&](writer& me, int i, int k) {
      me.v[i] += m.seed * static_cast<std::uint32_t>(i + 1);
      ctx.send(me.a, item{static_cast<std::uint32_t>(i), me.v[i]});
      if (i % 3 != 0) return;
      for (std::uint32_t n = 0; n < 3; ++n) ctx.send(i % 2 == 0 ? me.a : me.b, item{n, static_cast<std::uint32_t>(k)});
    });
    ctx.once(*this, [&](writer& me) {
      ctx.send(me.a, last_item{75});
      ctx.send(me.b, last_item{25});
    });
    ctx.send(a, last_item{m.seed});
  }
};
