// apps/wavesim3d/tile.hpp - a piece of the wave field as one wide actor; neighbours exchange faces through links.
// Why: the field stays where the arithmetic is, from step to step; nobody waits for more than six neighbours.
// Invariant: between steps `present` holds p(n) with one layer of cells around, `past` p(n-1); cells outside the grid are 0.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

namespace wavesim3d {

/// Tells a tile to take so many steps; all tiles get the same.
struct advance {
  std::int32_t steps;
};
/// A tile's message to itself: a tile that was not told to advance does not step when its neighbours' faces come.
struct go {};

/// The pressure that one receiver saw, for the host.
struct trace {
  static constexpr int length = 48;
  std::int32_t receiver, first_step, count;
  std::array<float, length> pressure;
};

/// What a source adds to its cell after each step, as a recurrence of + and * only, so that every backend adds the same
/// bits: value = scale * (1 - 2 * rise * n * n) * a, and then n += 1, a' = a * b + c * d, c' = c * b - a * d, b *= q.
struct source {
  std::int32_t cell;
  double scale, rise, n, a, b, c, d, q;
};
struct receiver {
  std::int32_t id, cell;
};

struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 512;
  static constexpr int nx = 32, ny = 32, nz = 16;  ///< cells
  static constexpr int row = nx + 2, plane = row * (ny + 2);
  static constexpr int most = 4;  ///< sources, and receivers, of one tile
  enum class port { west, east, south, north, down, up, self };
  static constexpr int at(int x, int y, int z) { return (z + 1) * plane + (y + 1) * row + x + 1; }

  struct side {  ///< of x or y: [nz][ny or nx]
    std::array<float, nx * nz> p;
  };
  struct level {  ///< of z: [ny][nx]
    std::array<float, nx * ny> p;
  };

  std::array<float, plane*(nz + 2)> present;  ///< [nz + 2][ny + 2][nx + 2], pressure
  perdure::per_lane<std::array<float, nx * ny * nz / lanes>> past;  ///< of the lane's column
  float courant2 = 0;                                  ///< (speed * time step / spacing)^2
  float past_ratio = 0;                                ///< p(-1) / p(0)
  std::int32_t used_x = nx, used_y = ny, used_z = nz;  ///< cells inside the grid
  std::int32_t step = 0, left = 0;
  std::int32_t sources = 0, receivers = 0;
  std::array<source, most> source_at;
  std::array<receiver, most> receiver_at;
  std::array<trace, most> traces;
  perdure::ref<perdure::host<trace>> listener;

  void on(const advance& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](tile& me) { me.left = m.steps; });
    if (step == 0) {
      ctx.for_each<nx, ny, nz>(*this, [&](tile& me, int x, int y, int z, int k) {
        me.past(ctx)[k] = me.past_ratio * me.present[at(x, y, z)];
      });
    }
    if (m.steps > 0) send_faces(ctx);
  }

  void on(const perdure::joined<side, level, go>& in, perdure::block_context& ctx) const {
    take_faces(in, ctx);
    compute(ctx);
    if (sources != 0) add_sources(ctx);
    ctx.once(*this, [](tile& me) {
      ++me.step;
      --me.left;
    });
    if (receivers != 0) record(ctx);
    if (left > 0) send_faces(ctx);
  }

 private:
  void take_faces(const perdure::joined<side, level, go>& in, perdure::block_context& ctx) const {
    ctx.for_each<nx, ny>(*this, [&](tile& me, int a, int b, int) {
      const int i = b * nx + a;
      if (in.linked(port::down)) me.present[at(a, b, -1)] = in.get<level>(port::down).p[i];
      if (in.linked(port::up)) me.present[at(a, b, nz)] = in.get<level>(port::up).p[i];
      if (b >= nz) return;
      if (in.linked(port::west)) me.present[at(-1, a, b)] = in.get<side>(port::west).p[i];
      if (in.linked(port::east)) me.present[at(nx, a, b)] = in.get<side>(port::east).p[i];
      if (in.linked(port::south)) me.present[at(a, -1, b)] = in.get<side>(port::south).p[i];
      if (in.linked(port::north)) me.present[at(a, ny, b)] = in.get<side>(port::north).p[i];
    });
  }

  /// p(n+1) = 2 p(n) - p(n-1) + courant2 * (sum of the six neighbours - 6 p(n)); then the two change places.
  void compute(perdure::block_context& ctx) const {
    const float c2 = courant2;
    const int ux = used_x, uy = used_y, uz = used_z;
    ctx.for_each<nx, ny, nz>(*this, [&](tile& me, int x, int y, int z, int k) {
      const int i = at(x, y, z);
      const auto& p = me.present;
      const float sum = p[i - 1] + p[i + 1] + p[i - row] + p[i + row] + p[i - plane] + p[i + plane];
      const float past_p = me.past(ctx)[k];
      me.past(ctx)[k] = 2.0F * p[i] - past_p + c2 * (sum - 6.0F * p[i]);
    });
    if (ux == nx && uy == ny && uz == nz) {
      ctx.for_each<nx, ny, nz>(*this, [&](tile& me, int x, int y, int z, int k) {
        const int i = at(x, y, z);
        const float now = me.present[i];
        me.present[i] = me.past(ctx)[k];
        me.past(ctx)[k] = now;
      });
    } else {
      ctx.for_each<nx, ny, nz>(*this, [&](tile& me, int x, int y, int z, int k) {
        const int i = at(x, y, z);
        const float now = me.present[i];
        me.present[i] = x < ux && y < uy && z < uz ? me.past(ctx)[k] : 0.0F;
        me.past(ctx)[k] = now;
      });
    }
  }

  void add_sources(perdure::block_context& ctx) const {
    ctx.once(*this, [](tile& me) {
      for (int s = 0; s < me.sources; ++s) {
        source& f = me.source_at[s];
        const double value = f.scale * (1.0 - 2.0 * f.rise * f.n * f.n) * f.a;
        me.present[f.cell] += static_cast<float>(value);
        const double a = f.a * f.b + f.c * f.d;
        f.c = f.c * f.b - f.a * f.d;
        f.a = a;
        f.b *= f.q;
        f.n += 1.0;
      }
    });
  }

  void record(perdure::block_context& ctx) const {
    ctx.once(*this, [&](tile& me) {
      for (int r = 0; r < me.receivers; ++r) {
        trace& t = me.traces[r];
        if (t.count == 0) t.first_step = me.step;
        t.receiver = me.receiver_at[r].id;
        t.pressure[t.count++] = me.present[me.receiver_at[r].cell];
        if (t.count < trace::length && me.left > 0) continue;
        ctx.send(me.listener, t);
        t.count = 0;
      }
    });
  }

  void send_faces(perdure::block_context& ctx) const {
    const auto west = ctx.open<side>(port::west), east = ctx.open<side>(port::east);
    const auto south = ctx.open<side>(port::south), north = ctx.open<side>(port::north);
    const auto down = ctx.open<level>(port::down), up = ctx.open<level>(port::up);
    ctx.for_each<nx, ny>(*this, [&](tile& me, int a, int b, int) {
      const int i = b * nx + a;
      down->p[i] = me.present[at(a, b, 0)];
      up->p[i] = me.present[at(a, b, nz - 1)];
      if (b >= nz) return;
      west->p[i] = me.present[at(0, a, b)];
      east->p[i] = me.present[at(nx - 1, a, b)];
      south->p[i] = me.present[at(a, 0, b)];
      north->p[i] = me.present[at(a, ny - 1, b)];
    });
    ctx.commit(west);
    ctx.commit(east);
    ctx.commit(south);
    ctx.commit(north);
    ctx.commit(down);
    ctx.commit(up);
    ctx.commit(ctx.open<go>(port::self));
  }
};

}  // namespace wavesim3d
