// tests/corpus/accept/designated_initialisers.hpp - designated initialisers, nested and partial, in messages and locals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include <perdure/actor.hpp>

struct options_set {
  std::uint32_t retries = 3;
  bool loud = false;
  struct window {
    std::uint16_t from = 1, to = 9;
  } when{};
  std::array<std::uint8_t, 2> codes = {7, 8};
};

struct start {
  std::uint32_t retries;
};

struct runner : perdure::actor<runner> {
  options_set current{.retries = 1, .when = {.to = 4}};
  std::uint64_t sum = 0;
  void on(const start& m, perdure::context& ctx) {
    ctx.send(ctx.self(*this), options_set{.retries = m.retries, .loud = m.retries % 2U == 1U, .codes = {1}});
    ctx.send(ctx.self(*this), options_set{.when = {.from = 2}});
  }
  void on(const options_set& m, perdure::context&) {
    current = m;
    sum += m.retries + m.when.from * 10U + m.when.to * 100U + m.codes[0] * 7U + m.codes[1];
  }
};
