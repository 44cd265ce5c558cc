// tests/corpus/accept/wide_extents_1d.hpp - one-dimensional extents: a multiple of the lanes, none, fewer
//   than the lanes, and one.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct stir {
  std::uint32_t by;
};

struct strip : perdure::block_actor<strip> {
  static constexpr int lanes = 64;
  std::array<std::uint32_t, 192> even{};
  std::uint32_t odd[150] = {};
  std::uint32_t few[7] = {};
  std::uint32_t rounds = 0, alone = 0;

  void on(const stir& m, perdure::block_context& ctx) const {
    ctx.for_each<192>(*this, [&](strip& me, int i, int k) {
      me.even[static_cast<std::size_t>(i)] += m.by + static_cast<std::uint32_t>(k);
    });
    ctx.for_each<150>(*this, [&](strip& me, int i, int k) {
      me.odd[i] = me.odd[i] * 3U + me.even[static_cast<std::size_t>(191 - i)] + static_cast<std::uint32_t>(k);
    });
    ctx.for_each<7>(*this, [&](strip& me, int i, int k) {
      me.few[i] ^= me.odd[i * 20] + static_cast<std::uint32_t>(k);
    });
    ctx.for_each<1>(*this, [&](strip& me, int i, int) { me.alone += me.few[i + 6] & 0xffU; });
    ctx.once(*this, [](strip& me) { ++me.rounds; });
  }
};
