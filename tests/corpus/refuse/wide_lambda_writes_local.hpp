// tests/corpus/refuse/wide_lambda_writes_local.hpp - refused: a lambda that writes to a handler's local and
//   that a region calls; calling it outside is fine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct tick {
  std::uint32_t n;
};
constexpr std::uint32_t total(std::uint32_t n) {
  std::uint32_t of_function = 0;
  const auto add = [&](std::uint32_t x) { of_function += x; };
  add(n);
  return of_function;
}
struct tile : perdure::block_actor<tile> {
  static constexpr int lanes = 64;
  std::uint32_t v[64] = {};
  void on(const tick& m, perdure::block_context& ctx) const {
    std::uint32_t sum = 0, seen = 0;
    // EXPECT-ERROR: 'sum' belongs to the handler.*this is reached from one
    const auto add = [&](std::uint32_t n) { sum += n; };
    const auto note_it = [&](std::uint32_t n) { seen = n; };
    add(m.n);
    note_it(m.n);
    ctx.for_each<64>(*this, [&](tile& me, int i, int) {
      std::uint32_t own = 0;
      const auto bump = [&](std::uint32_t n) { own += n; };
      bump(me.v[i] + total(me.v[i]));
      add(own);
    });
    ctx.once(*this, [&](tile& me) { me.v[0] = sum + seen; });
  }
};
