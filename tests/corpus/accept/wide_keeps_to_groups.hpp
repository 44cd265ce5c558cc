// tests/corpus/accept/wide_keeps_to_groups.hpp - regions at whose end only groups of 32 lanes meet, and a count with no barrier.
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

struct heard {
  std::uint32_t of;
};
struct listener : perdure::actor<listener> {
  std::uint32_t sum = 0;
  void on(const heard& m, perdure::context&) { sum += m.of + 1; }
};

struct strip : perdure::block_actor<strip> {
  static constexpr int lanes = 64;
  std::array<std::uint32_t, 128> a{}, b{}, c{};
  std::uint32_t stirs = 0, sum = 0;
  perdure::ref<listener> ear;

  void on(const stir& m, perdure::block_context& ctx) const {
    // behind a jump nothing of what was said holds
    switch (m.by % 3) {
      case 0: ctx.keeps_to_groups(); break;
      case 1:
        ctx.for_each<128>(*this, [&](strip& me, int i, int) {
          if (i == 5) ctx.send(me.ear, heard{me.stirs});
        });
        break;
      default: break;
    }
    ctx.then_each<128>(*this, [&](strip& me, int i, int) { ++me.a[static_cast<std::size_t>(i)]; });
    for (std::uint32_t k = 0; k < 4; ++k) {
      if (k == m.by % 4) {
        ctx.keeps_to_groups();
        break;
      }
      ctx.for_each<128>(*this, [&](strip& me, int i, int) {
        if (i == 7) ctx.send(me.ear, heard{k});
      });
    }
    ctx.then_each<128>(*this, [&](strip& me, int i, int) { ++me.b[static_cast<std::size_t>(i)]; });
    ctx.keeps_to_groups();
    ctx.then_each<128>(*this, [&](strip& me, int i, int) {
      me.a[static_cast<std::size_t>(i)] += m.by + static_cast<std::uint32_t>(i);
    });
    ctx.keeps_to_groups();
    ctx.then_each<32, 4>(*this, [&](strip& me, int x, int group, int) {
      const auto first = static_cast<std::size_t>(group) * 32;
      me.b[first + static_cast<std::size_t>(x)] =
          me.a[first + static_cast<std::size_t>(31 - x)] * 3U;
    });
    ctx.then_each<32, 4>(*this, [&](strip& me, int x, int group, int) {
      const auto first = static_cast<std::size_t>(group) * 32;
      me.c[first + static_cast<std::size_t>(x)] ^=
          me.b[first + static_cast<std::size_t>((x + 9) % 32)];
    });
    ctx.then_once(*this, [](strip& me) { ++me.stirs; });
    ctx.once(*this, [](strip& me) {
      for (const std::uint32_t one : me.c) me.sum = me.sum * 31U + one + me.stirs;
    });
  }
};
