// tests/corpus/accept/wide_and_small.hpp - small and wide actors in one header that send to each other,
//   also from regions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct part {
  std::uint32_t index, value;
};
struct request {
  std::uint8_t hops;
  std::uint32_t seed;
};
struct total {
  std::uint64_t sum;
};

struct grid;

struct clerk : perdure::actor<clerk> {
  perdure::ref<grid> office;
  std::uint64_t sum = 0;
  std::uint32_t parts = 0, totals = 0;
  void on(const part& m, perdure::context& ctx);
  void on(const total& m, perdure::context&) {
    ++totals;
    sum = sum * 7U + m.sum;
  }
};

struct grid : perdure::block_actor<grid> {
  static constexpr int lanes = 64;
  std::uint32_t v[70] = {};
  perdure::ref<clerk> first;
  std::array<perdure::ref<clerk>, 4> clerks{};
  perdure::ref<grid> next;

  void on(const request& m, perdure::block_context& ctx) const {
    ctx.for_each<70>(*this, [&](grid& me, int i, int) {
      me.v[i] += m.seed + static_cast<std::uint32_t>(i);
      if (i % 9 == 0)
        ctx.send(me.clerks[static_cast<std::size_t>(i % 4)], part{static_cast<std::uint32_t>(i), me.v[i]});
    });
    const auto sum = ctx.reduce<70>(
        *this, std::uint64_t{0}, [](const grid& me, int i) { return std::uint64_t{me.v[i]}; },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
    ctx.send(first, total{sum});
    if (m.hops % 4U > 0) ctx.send(next, request{static_cast<std::uint8_t>(m.hops % 4U - 1U), m.seed + 1U});
  }
  void on(const part& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](grid& me) { me.v[m.index % 70U] ^= m.value; });
  }
};

inline void clerk::on(const part& m, perdure::context& ctx) {
  ++parts;
  sum += m.value;
  if (m.index % 2U == 0) ctx.send(office, part{m.index + 1U, m.value / 3U});
}
