// tests/corpus/accept/cyclic_actors.hpp - two actors that send to each other, forward declared, with a hop budget.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct ping_side;
struct pong_side;

struct serve {
  std::uint8_t hops;
  perdure::ref<pong_side> to;
  perdure::ref<ping_side> back;
};
struct returned {
  std::uint8_t hops;
  perdure::ref<ping_side> to;
  perdure::ref<pong_side> back;
};

constexpr std::uint8_t fewer(std::uint8_t hops) {
  return hops > 9U ? std::uint8_t{8} : static_cast<std::uint8_t>(hops - 1U);
}

struct ping_side : perdure::actor<ping_side> {
  std::uint32_t served = 0;
  perdure::ref<pong_side> partner;
  void on(const returned& m, perdure::context& ctx);
};

struct pong_side : perdure::actor<pong_side> {
  std::uint32_t returns = 0;
  void on(const serve& m, perdure::context& ctx) {
    ++returns;
    if (m.hops > 0) ctx.send(m.back, returned{fewer(m.hops), m.back, ctx.self(*this)});
  }
};

inline void ping_side::on(const returned& m, perdure::context& ctx) {
  ++served;
  partner = m.back;
  if (m.hops > 0) ctx.send(partner, serve{fewer(m.hops), partner, ctx.self(*this)});
}
