// tests/corpus/accept/hot_and_wide.hpp - a program with a hot type and a wide one.
// Why: the loop of wide actors hands batches over for runs in its own way.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: sums
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct coin {
  std::uint32_t worth;
};
struct purse : perdure::actor<purse> {
  static constexpr bool hot = true;
  std::uint64_t sum = 0, coins = 0;
  void on(const coin& m, perdure::context&) {
    ++coins;
    sum += m.worth;
  }
};
struct mint : perdure::block_actor<mint> {
  static constexpr int lanes = 64;
  perdure::ref<purse> to;
  std::uint64_t struck = 0;
  void on(const coin& m, perdure::block_context& ctx) const {
    ctx.once(*this, [&](mint& me) { me.struck += m.worth; });
    ctx.send(to, coin{m.worth % 8U});
  }
};
