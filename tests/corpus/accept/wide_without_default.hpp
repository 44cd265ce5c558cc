// tests/corpus/accept/wide_without_default.hpp - wide actors that have no default constructor, with
//   const-free constructors and references among actors.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct touch {
  std::uint8_t n;
};

struct statue : perdure::block_actor<statue> {
  static constexpr int lanes = 32;
  explicit constexpr statue(std::uint32_t seed) : age{seed} {
    for (std::uint32_t i = 0; i < 34; ++i) stone[i] = static_cast<std::uint16_t>(seed * i);
  }
  std::uint16_t stone[34];
  perdure::any_ref last;
  std::uint32_t age;
  bool touched = false;

  void on(const touch& m, perdure::block_context& ctx) const {
    const perdure::any_ref by = ctx.sender();
    ctx.for_each<34>(*this, [&](statue& me, int i, int) {
      me.stone[i] = static_cast<std::uint16_t>(me.stone[i] ^ static_cast<std::uint32_t>(m.n << (i % 8)));
    });
    ctx.once(*this, [&](statue& me) {
      me.last = by;
      ++me.age;
      me.touched = true;
    });
  }
};
