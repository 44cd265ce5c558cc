// dsl/examples/life/life.hpp - Conway's life: a tile a wide actor, the rows at its borders go through links.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct run {
  std::int32_t generations;
};
struct border {
  std::array<std::uint8_t, 256> cell;
};
struct go {};  // a tile's message to itself: without it, it would fire before it was told to run

struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 256, width = 256, height = 16;
  enum class port { up, down, self };  // a ring of tiles: left and right meet within a tile
  std::array<std::array<std::uint8_t, width>, height + 2>
      cell;  // row 0 and the last are neighbours'
  perdure::per_lane<std::array<std::uint8_t, height>> next;
  std::int32_t left = 0;  // generations to go

  void on(const run& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](tile& me) { me.left = m.generations; });
    if (m.generations > 0) send_borders(ctx);
  }
  void on(const perdure::joined<border, go>& in, perdure::block_context& ctx) const {
    ctx.for_each<width>(*this, [&](tile& me, std::size_t x, int) {
      me.cell[0][x] = in.get<border>(port::up).cell[x];
      me.cell[height + 1][x] = in.get<border>(port::down).cell[x];
    });
    ctx.for_each<width, height>(*this, [&](tile& me, std::size_t x, std::size_t y, std::size_t k) {
      const std::size_t l = (x + width - 1) % width, r = (x + 1) % width;
      const auto &u = me.cell[y], &c = me.cell[y + 1], &d = me.cell[y + 2];
      const int n = u[l] + u[x] + u[r] + c[l] + c[r] + d[l] + d[x] + d[r];
      me.next(ctx)[k] = n == 3 || (n == 2 && c[x] != 0) ? 1 : 0;
    });
    ctx.for_each<width, height>(*this, [&](tile& me, std::size_t x, std::size_t y, std::size_t k) {
      me.cell[y + 1][x] = me.next(ctx)[k];
    });
    ctx.once(*this, [](tile& me) { --me.left; });
    if (left > 0) send_borders(ctx);
  }

 private:
  void send_borders(perdure::block_context& ctx) const {
    const auto up = ctx.open<border>(port::up), down = ctx.open<border>(port::down);
    ctx.for_each<width>(*this, [&](tile& me, std::size_t x, int) {
      up->cell[x] = me.cell[1][x];
      down->cell[x] = me.cell[height][x];
    });
    ctx.commit(up);
    ctx.commit(down);
    ctx.commit(ctx.open<go>(port::self));
  }
};
