// tests/corpus/accept/wide_extents_3d.hpp - three-dimensional extents, x fastest, a stencil that reads one
//   array and writes another.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct step {
  std::uint8_t times;
};

struct box_of_cells : perdure::block_actor<box_of_cells> {
  static constexpr int lanes = 96;
  static constexpr int nx = 6, ny = 5, nz = 4;
  std::int32_t now[nz + 2][ny + 2][nx + 2] = {};
  std::int32_t next[nz][ny][nx] = {};
  std::uint32_t steps = 0;

  void on(const step& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](box_of_cells& me) { me.now[1][1][1] += m.times + 1; });
    for (int t = 0; t < m.times % 4; ++t) {
      ctx.for_each<nx, ny, nz>(*this, [](box_of_cells& me, int x, int y, int z, int k) {
        const std::int32_t around = me.now[z + 1][y + 1][x] + me.now[z + 1][y + 1][x + 2] + me.now[z + 1][y][x + 1] +
                                    me.now[z + 1][y + 2][x + 1] + me.now[z][y + 1][x + 1] + me.now[z + 2][y + 1][x + 1];
        me.next[z][y][x] = (me.now[z + 1][y + 1][x + 1] * 3 + around) % 10'007 + k;
      });
      ctx.for_each<nx, ny, nz>(*this, [](box_of_cells& me, int x, int y, int z, int) {
        me.now[z + 1][y + 1][x + 1] = me.next[z][y][x];
      });
    }
    ctx.once(*this, [](box_of_cells& me) { ++me.steps; });
  }
};
