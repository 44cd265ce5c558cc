// tests/wide/actors/herd.hpp - a wide actor whose lanes send, to some who are there and to some who are not.
// Why: what lanes send side by side has stamps by its indices, and they must be the same ones everywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <perdure/actor.hpp>
#include <perdure/block_actor.hpp>

#include <cstdint>

namespace herd {

inline constexpr std::uint32_t dogs = 4;
inline constexpr int calls = 100;

struct call {
  std::uint32_t number;
};
struct drive {};

struct dog : perdure::actor<dog> {
  std::uint32_t heard = 0;
  std::uint64_t order = 0;  ///< depends on it
  perdure::hlc last;

  void on(const call& m, perdure::context& ctx) {
    ++heard;
    order = order * 31 + m.number;
    last = ctx.now();
  }
};

struct shepherd : perdure::block_actor<shepherd> {
  static constexpr int lanes = 64;
  perdure::ref<dog> first;
  std::uint32_t rounds = 0;
  std::uint32_t called = 0;
  std::uint64_t events = 0;  ///< of the last round's regions

  /// Every third call is for nobody, and one in 10 for another system.
  void on(const drive&, perdure::block_context& ctx) const {
    const perdure::hlc before = ctx.now();
    ctx.for_each<calls>(*this, [&](shepherd& me, int i, int) {
      const auto n = static_cast<std::uint32_t>(i);
      perdure::ref<dog> to{me.first.bits + n % dogs};
      if (n % 3 == 0) {
        to = {};
      } else if (n % 10 == 1) {
        to.bits ^= std::uint64_t{1} << 56U;
      }
      ctx.send(to, call{n});
    });
    const auto sum = ctx.reduce<calls>(
        *this, 0U,
        [&](const shepherd& me, int i) {
          if (i % 4 == 0) ctx.send(me.first, call{1'000U + static_cast<std::uint32_t>(i)});
          return 1U;
        },
        [](std::uint32_t a, std::uint32_t b) { return a + b; });
    const perdure::hlc after = ctx.now();
    ctx.once(*this, [&](shepherd& me) {
      ++me.rounds;
      me.called += sum;
      me.events = after.bits - before.bits;
    });
    ctx.send(first, call{2'000});
  }
};

/// Calls of a round that can be heard, by a plain loop.
constexpr std::uint32_t placed() {
  std::uint32_t n = 0;
  for (std::uint32_t i = 0; i < calls; ++i) n += i % 3 == 0 || i % 10 == 1 ? 0 : 1;
  return n + calls / 4;
}

}  // namespace herd
