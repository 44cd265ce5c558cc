// tests/corpus/accept/multi_declarators.hpp - several declarators in one declaration: members, locals, arrays, unnamed-struct types.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

constexpr std::uint32_t one = 1, two = one + one, unused_three = two + one;

struct pairs {
  std::int32_t a, b, c;
  std::uint8_t d;
};

struct spread : perdure::actor<spread> {
  std::int32_t low = 5, high = -5, table[3] = {1, 2, 3}, last;
  struct {
    std::uint32_t x = 1, y = 2;
  } left, right;
  std::uint64_t count{}, weight{one + two};

  spread() : last{9} {}

  void on(const pairs& m, perdure::context&) {
    std::int32_t x = m.a, y = m.b, z[2] = {m.c, x};
    for (std::int32_t i = 0, j = 2; i <= j; ++i, --j) table[i] += table[j];
    if (x < low) low = x;
    if (y > high) high = y;
    last = z[0] - z[1];
    table[0] &= 0xffff, table[1] &= 0xffff, table[2] &= 0xffff;
    left.x += m.d, right.y ^= left.x;
    count += two, weight += count * one;
  }
};
