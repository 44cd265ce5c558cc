// tests/corpus/accept/now_rises.hpp - ctx.now() is kept and compared inside a handler; only comparisons reach the state.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct look {
  std::uint16_t n;
};

constexpr bool later(perdure::hlc a, perdure::hlc b) { return a < b && a != b && !(b < a); }

struct watcher : perdure::actor<watcher> {
  std::uint32_t risen = 0, wrong = 0;
  std::uint64_t seen = 0;
  void on(const look& m, perdure::context& ctx) {
    const perdure::hlc first = ctx.now();
    const perdure::hlc second = ctx.now();
    if (later(first, second)) {
      ++risen;
    } else {
      ++wrong;
    }
    if (second.microseconds() < first.microseconds() || second.logical() > 0xffffU) ++wrong;
    seen += m.n;
  }
};
