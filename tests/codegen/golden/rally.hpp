// tests/codegen/golden/rally.hpp - two actors that name each other; the smallest cyclic program.
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct pong;
struct ball {
  std::uint32_t bounces;
};

struct ping : perdure::actor<ping> {
  perdure::ref<pong> other;
  std::uint32_t seen = 0;
  void on(const ball& m, perdure::context& ctx);
};

struct pong : perdure::actor<pong> {
  perdure::ref<ping> other;
  void on(const ball& m, perdure::context& ctx) { ctx.send(other, ball{m.bounces + 1}); }
};

inline void ping::on(const ball& m, perdure::context& ctx) {
  ++seen;
  if (m.bounces < 10) ctx.send(other, m);  // until it rests
}
