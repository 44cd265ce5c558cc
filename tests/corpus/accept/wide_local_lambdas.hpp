// tests/corpus/accept/wide_local_lambdas.hpp - lambdas of the handler called inside regions and outside,
//   and defined inside regions.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct turn {
  std::uint32_t by;
};

struct wheel : perdure::block_actor<wheel> {
  static constexpr int lanes = 32;
  std::uint32_t v[45] = {};
  perdure::per_lane<std::uint32_t> mine;
  std::uint32_t turns = 0;

  void on(const turn& m, perdure::block_context& ctx) const {
    const auto mixed = [&m](std::uint32_t x) { return (x ^ m.by) * 2654435761U; };
    const auto kept = [&](wheel& me) { return me.mine(ctx) % 1000U; };
    const auto count = [&] { ctx.once(*this, [](wheel& me) { ++me.turns; }); };
    const std::uint32_t uniform = mixed(turns);
    count();
    ctx.for_each<45>(*this, [&](wheel& me, int i, int) {
      const auto here = [&](std::uint32_t x) { return mixed(x) + uniform; };
      me.v[i] = here(me.v[i]) % 65'521U;
      me.mine(ctx) += mixed(static_cast<std::uint32_t>(i));
      me.v[i] += kept(me);
    });
    if (m.by % 2U == 0) count();
  }
};
