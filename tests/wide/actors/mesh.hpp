// tests/wide/actors/mesh.hpp - wide actors, and a small one, that check what comes to them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct run {
  std::int32_t steps;
};
struct border {
  std::uint32_t number;  // of the link, from 1
  perdure::hlc at;       // of an event before the send
  std::array<std::uint32_t, 32> cell;
};
struct go {};
struct pulse {  // no longer than what shares a word with its number
  std::uint32_t number;
};
struct parcel {
  std::uint32_t number;
  std::array<std::uint32_t, 20> fill;
};
struct tick {
  std::uint32_t amount;
};
struct question {};
struct answer {
  std::uint64_t sum;
};
struct halt {};
struct crash {
  std::uint32_t reason;
};
struct feed {
  std::uint32_t messages;
};

/// One of a ring; mixes its cells with its neighbours' rows.
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 32, width = 32, height = 4;
  enum class port { up, down, self };
  std::array<std::array<std::uint32_t, width>, height + 2> cell;
  perdure::per_lane<std::array<std::uint32_t, height>> next;
  std::int32_t left = 0;
  std::uint32_t fired = 0;
  std::uint32_t wrong = 0;  // numbers out of order, or times that do not rise

  void on(const run& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](tile& me) { me.left = m.steps; });
    send_borders(ctx);
  }
  void on(const perdure::joined<border, go>& in, perdure::block_context& ctx) const {
    const auto &up = in.get<border>(port::up), &down = in.get<border>(port::down);
    const perdure::hlc now = ctx.now();
    ctx.once(*this, [&](tile& me) {
      ++me.fired;
      --me.left;
      if (up.number != me.fired || down.number != me.fired) ++me.wrong;
      if (!(up.at < now) || !(down.at < now)) ++me.wrong;
    });
    ctx.for_each<width>(*this, [&](tile& me, int x, int) {
      me.cell[0][x] = up.cell[x];
      me.cell[height + 1][x] = down.cell[x];
    });
    ctx.for_each<width, height>(*this, [&](tile& me, int x, int y, int k) {
      me.next(ctx)[k] = me.cell[y][x] + 3 * me.cell[y + 1][(x + 1) % width] + 5 * me.cell[y + 2][x];
    });
    ctx.for_each<width, height>(
        *this, [&](tile& me, int x, int y, int k) { me.cell[y + 1][x] = me.next(ctx)[k]; });
    if (left > 0) send_borders(ctx);
  }

 private:
  void send_borders(perdure::block_context& ctx) const {
    const perdure::hlc now = ctx.now();
    const auto up = ctx.open<border>(port::up), down = ctx.open<border>(port::down);
    ctx.once(*this, [&](tile&) {
      up->number = down->number = fired + 1;
      up->at = down->at = now;
    });
    ctx.for_each<width>(*this, [&](tile& me, int x, int) {
      up->cell[x] = me.cell[1][x];
      down->cell[x] = me.cell[height][x];
    });
    ctx.commit(up);
    ctx.commit(down);
    ctx.commit(ctx.open<go>(port::self));
  }
};

/// Drives itself by a link to itself, and sends as fast as its link takes it.
struct source : perdure::block_actor<source> {
  static constexpr int lanes = 32;
  enum class port { self, out };
  std::uint32_t sent = 0;
  std::int32_t left = 0;

  void on(const run& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](source& me) { me.left = m.steps; });
    ctx.commit(ctx.open<go>(port::self));
  }
  void on(const perdure::joined<go>&, perdure::block_context& ctx) const {
    ctx.once(*this, [](source& me) {
      ++me.sent;
      --me.left;
    });
    const auto out = ctx.open<parcel>(port::out);
    ctx.once(*this, [&](source&) { out->number = sent; });
    ctx.for_each<20>(*this, [&](source&, int i, int) { out->fill[i] = sent * 100 + i; });
    ctx.commit(out);
    if (left > 0) ctx.commit(ctx.open<go>(port::self));
  }
};

/// Takes parcels at two ports, answers, counts, stops and fails.
struct sink : perdure::block_actor<sink> {
  static constexpr int lanes = 64;
  enum class port { left, right };
  std::array<std::uint32_t, 64> slot{};
  std::uint32_t parcels = 0, ticks = 0, wrong = 0;
  std::uint32_t busy = 0;  // handlers that are at work

  void on(const perdure::joined<parcel>& in, perdure::block_context& ctx) const {
    enter(ctx);
    ctx.once(*this, [&](sink& me) { ++me.parcels; });
    for (int slow = 0; slow < 3; ++slow) {
      ctx.for_each<20>(*this, [&](sink& me, int i, int) {
        if (in.linked(port::left) && in[port::left].fill[i] != me.parcels * 100 + i)
          me.slot[i] = ~0U;
        if (in.linked(port::right) && in[port::right].fill[i] != me.parcels * 100 + i)
          me.slot[i] = ~0U;
      });
    }
    leave(ctx);
  }
  void on(const tick& m, perdure::block_context& ctx) const {
    enter(ctx);
    ctx.once(*this, [](sink& me) { ++me.ticks; });
    ctx.for_each<64>(*this, [&](sink& me, int i, int) { me.slot[i] += m.amount; });
    leave(ctx);
  }
  void on(const question&, perdure::block_context& ctx) const {
    const std::uint64_t sum = ctx.reduce<64>(
        *this, std::uint64_t{0}, [](const sink& me, int i) { return std::uint64_t{me.slot[i]}; },
        [](std::uint64_t a, std::uint64_t b) { return a + b; });
    ctx.reply(answer{sum});
  }
  void on(const halt&, perdure::block_context& ctx) const { ctx.stop(); }
  void on(const crash& m, perdure::block_context& ctx) const {
    ctx.for_each<64>(*this, [&](sink&, int i, int) {
      if (i == 40) ctx.fail(m.reason);
    });
  }

 private:
  void enter(perdure::block_context& ctx) const {
    ctx.once(*this, [](sink& me) {
      if (++me.busy != 1) ++me.wrong;
    });
  }
  void leave(perdure::block_context& ctx) const {
    ctx.once(*this, [](sink& me) {
      if (me.busy-- != 1) ++me.wrong;
    });
  }
};

/// Commits from an ordinary handler.
struct feeder : perdure::block_actor<feeder> {
  static constexpr int lanes = 32;
  enum class port { out };
  std::uint32_t sent = 0;

  void on(const feed&, perdure::block_context& ctx) const {
    ctx.once(*this, [](feeder& me) { ++me.sent; });
    const auto out = ctx.open<parcel>(port::out);
    ctx.for_each<20>(*this, [&](feeder&, int i, int) { out->fill[i] = sent * 100 + i; });
    ctx.commit(out);
  }
};

/// Passes pulses to both sides; names these ports when it runs only.
struct relay : perdure::block_actor<relay> {
  static constexpr int lanes = 32;
  enum class port { left, right, self };
  std::int32_t left = 0;
  std::uint32_t fired = 0, wrong = 0;

  void on(const run& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](relay& me) { me.left = m.steps; });
    pass(ctx);
  }
  void on(const perdure::joined<pulse, go>& in, perdure::block_context& ctx) const {
    ctx.once(*this, [&](relay& me) {
      ++me.fired;
      --me.left;
      for (int side = 0; side < 2; ++side) {
        if (in.get<pulse>(static_cast<port>(side)).number != me.fired) ++me.wrong;
      }
    });
    if (left > 0) pass(ctx);
  }

 private:
  void pass(perdure::block_context& ctx) const {
    for (int side = 0; side < 2; ++side) {
      const auto out = ctx.open<pulse>(static_cast<port>(side));
      ctx.once(*this, [&](relay&) { out->number = fired + 1; });
      ctx.commit(out);
    }
    ctx.commit(ctx.open<go>(port::self));
  }
};

/// A small actor between wide ones: passes ticks on.
struct clerk : perdure::actor<clerk> {
  perdure::ref<sink> to;
  std::uint32_t passed = 0;

  void on(const tick& m, perdure::context& ctx) {
    ++passed;
    ctx.send(to, m);
  }
};

/// Offers a message at a port to which nothing is linked.
struct loner : perdure::block_actor<loner> {
  static constexpr int lanes = 32;
  enum class port { self, out };
  std::int32_t left = 0;
  std::uint32_t fired = 0, offered = 0;

  void on(const run& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](loner& me) { me.left = m.steps; });
    ctx.commit(ctx.open<go>(port::self));
  }
  void on(const perdure::joined<go>&, perdure::block_context& ctx) const {
    const auto out = ctx.open<run>(port::out);
    ctx.once(*this, [&](loner& me) {
      ++me.fired;
      --me.left;
      if (out) ++me.offered;
      out->steps = 1;
    });
    ctx.commit(out);
    if (left > 0) ctx.commit(ctx.open<go>(port::self));
  }
};
