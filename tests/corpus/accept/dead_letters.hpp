// tests/corpus/accept/dead_letters.hpp - sends to null references are dead letters and change nothing else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct probe {
  std::uint16_t n;
};
struct echo {
  std::uint16_t n;
};

struct receiver;

struct prober : perdure::actor<prober> {
  std::uint32_t sent = 0, echoes = 0;
  perdure::ref<receiver> maybe;
  void on(const probe& m, perdure::context& ctx);
  void on(const echo& m, perdure::context&) { echoes += m.n; }
};

struct receiver : perdure::actor<receiver> {
  std::uint32_t got = 0;
  perdure::ref<prober> nobody;
  void on(const echo& m, perdure::context& ctx) {
    got += m.n;
    ctx.send(nobody, m);
    ctx.send(perdure::ref<prober>{}, echo{1});
  }
};

inline void prober::on(const probe& m, perdure::context& ctx) {
  for (std::uint16_t i = 0; i < m.n % 4U; ++i, ++sent) {
    ctx.send(perdure::ref<receiver>{}, echo{i});
    ctx.send(maybe, echo{m.n});
  }
}
