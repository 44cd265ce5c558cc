// tests/corpus/accept/wide_c_arrays_bit_fields.hpp - C arrays of several dimensions, structs and bit-fields
//   in the state of a wide actor.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct set {
  std::uint16_t a, b;
  bool on;
};
struct cell_flags {
  std::uint32_t alive : 1;
  std::uint32_t age : 12;
  std::int32_t drift : 7;
};

struct board : perdure::block_actor<board> {
  static constexpr int lanes = 32;
  cell_flags cell[4][11] = {};
  std::uint8_t deep[2][3][5] = {};
  std::uint32_t turn : 20 = 1;
  std::uint32_t mode : 3 = 2;
  std::uint32_t : 0;
  std::int16_t level = -5;

  void on(const set& m, perdure::block_context& ctx) const {
    const std::uint32_t before = turn;
    ctx.for_each<11, 4>(*this, [&](board& me, int x, int y, int) {
      cell_flags& c = me.cell[y][x];
      c.alive = (static_cast<std::uint32_t>(x + y) + m.a) & 1U;
      c.age = (c.age + c.alive) & 4095U;
      c.drift = x < y ? -3 : 5;
    });
    ctx.for_each<5, 3, 2>(*this, [&](board& me, int x, int y, int z, int) {
      me.deep[z][y][x] = static_cast<std::uint8_t>(me.deep[z][y][x] + me.cell[z][x].age + before);
    });
    ctx.once(*this, [&](board& me) {
      me.turn = (me.turn + m.b) & 0xfffffU;
      me.mode = (m.on ? 5U : me.mode >> 1U) & 7U;
      me.level = static_cast<std::int16_t>(me.level + me.cell[1][2].drift);
    });
  }
};
