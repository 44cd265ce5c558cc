// tests/corpus/accept/wide_standard_joins.hpp - reduce joined by std::plus and std::bit_xor and by a
//   function; lanes that are a std::size_t.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include <perdure/actor.hpp>

struct load {
  std::uint32_t seed;
};
constexpr std::uint32_t larger(std::uint32_t a, std::uint32_t b) { return a > b ? a : b; }

struct heap_of : perdure::block_actor<heap_of> {
  static constexpr std::size_t lanes = 64;
  std::array<std::uint32_t, 100> v{};
  std::uint32_t sum = 0, top = 0;

  void on(const load& m, perdure::block_context& ctx) const {
    ctx.for_each<100>(*this, [&](heap_of& me, int i, int) {
      me.v[static_cast<std::size_t>(i)] += m.seed >> (i % 20);
    });
    const auto value = ctx.reduce<100>(
        *this, 0U, [](const heap_of& me, int i) { return me.v[static_cast<std::size_t>(i)]; }, std::plus<>{});
    const auto most = ctx.reduce<100>(
        *this, 0U, [](const heap_of& me, int i) { return me.v[static_cast<std::size_t>(i)]; }, larger);
    ctx.once(*this, [&](heap_of& me) {
      me.sum = value;
      me.top = most;
    });
  }
};
