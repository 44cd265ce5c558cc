// tests/corpus/accept/wide_per_lane_types.hpp - several per_lane members: scalars of every width, structs,
//   arrays of scalars and of structs.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct push {
  std::uint32_t value;
};
struct pair_of {
  std::int16_t a;
  double b;
};
struct small_pair {
  std::uint8_t x, y;
};

struct keeper : perdure::block_actor<keeper> {
  static constexpr int lanes = 64;
  std::uint64_t out[160] = {};
  perdure::per_lane<std::uint8_t> byte;
  perdure::per_lane<std::array<std::uint16_t, 3>> shorts;
  perdure::per_lane<double> wide;
  perdure::per_lane<pair_of> both;
  perdure::per_lane<std::array<small_pair, 5>> pairs;
  perdure::per_lane<std::array<double, 2>> doubles;
  perdure::per_lane<bool> flag;
  std::uint32_t pushes = 0;

  void on(const push& m, perdure::block_context& ctx) const {
    ctx.for_each<160>(*this, [&](keeper& me, int i, int k) {
      const auto at = static_cast<std::size_t>(k);
      me.byte(ctx) = static_cast<std::uint8_t>(me.byte(ctx) + m.value + static_cast<std::uint32_t>(i));
      me.shorts(ctx)[at] = static_cast<std::uint16_t>(me.shorts(ctx)[at] * 5U + me.byte(ctx));
      me.wide(ctx) = me.wide(ctx) * 0.5 + i;
      me.flag(ctx) = !me.flag(ctx);
    });
    ctx.for_each<64>(*this, [&](keeper& me, int i, int) {
      pair_of& both_here = me.both(ctx);
      both_here.a = static_cast<std::int16_t>(both_here.a + (i % 2 == 0 ? 3 : -1));
      both_here.b += me.wide(ctx);
      const auto pairs = me.pairs(ctx);  // asked for once
      for (std::size_t n = 0; n < pairs.size(); ++n) {
        small_pair& p = pairs[n];
        p.x = static_cast<std::uint8_t>(p.x + n);
        p.y = static_cast<std::uint8_t>(p.y ^ p.x);
      }
      me.doubles(ctx)[0] += 0.125;
      me.doubles(ctx)[1] -= both_here.b;
    });
    ctx.for_each<160>(*this, [&](keeper& me, int i, int k) {
      const auto p = me.pairs(ctx)[static_cast<std::size_t>(i % 5)];
      me.out[i] = me.out[i] * 31U + me.shorts(ctx)[static_cast<std::size_t>(k)] + p.x * 7U + p.y +
                  static_cast<std::uint64_t>(static_cast<std::int64_t>(me.doubles(ctx)[1])) +
                  static_cast<std::uint64_t>(me.both(ctx).a) + (me.flag(ctx) ? 1U : 0U);
    });
    ctx.once(*this, [](keeper& me) { ++me.pushes; });
  }
};
