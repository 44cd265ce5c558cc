// dsl/examples/ping_pong/ping_pong.hpp - two actors of different types, each naming the other.
// Why: a reference may name an actor that is only declared yet.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>

#include <cstdint>

struct server;
struct receiver;

struct serve {  ///< the first stroke
  perdure::ref<receiver> to;
  std::uint32_t strokes;
};
struct ball {
  std::uint32_t left;  ///< strokes left
};
struct match {
  std::uint32_t pings, pongs;
};
using umpire = perdure::ref<perdure::host<match>>;

struct ping {
  perdure::ref<server> from;
  ball what;
  std::uint32_t pings;
};
struct pong {
  ball what;
  std::uint32_t pongs;
};

struct receiver : perdure::actor<receiver> {
  umpire tells;
  std::uint32_t pongs = 0;

  void on(const ping& m, perdure::context& ctx);
};

struct server : perdure::actor<server> {
  umpire tells;
  perdure::ref<receiver> other;
  std::uint32_t pings = 0;

  void on(const serve& m, perdure::context& ctx) {
    other = m.to;
    pings = 1;
    ctx.send(other, ping{ctx.self(*this), ball{m.strokes - 1}, pings});
  }
  void on(const pong& m, perdure::context& ctx) {
    if (m.what.left == 0) return ctx.send(tells, match{pings, m.pongs});
    ++pings;
    ctx.send(other, ping{ctx.self(*this), ball{m.what.left - 1}, pings});
  }
};

inline void receiver::on(const ping& m, perdure::context& ctx) {
  if (m.what.left == 0) return ctx.send(tells, match{m.pings, pongs});
  ++pongs;
  ctx.send(m.from, pong{ball{m.what.left - 1}, pongs});
}
