// tests/corpus/accept/wide_has_read.hpp - a handler that says when it has read its message, in a batch of messages that each
//   change what the next one finds.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct shove {
  std::uint32_t by;
};

struct strip : perdure::block_actor<strip> {
  static constexpr int lanes = 64;
  std::array<std::uint32_t, 150> a{}, b{};
  std::uint32_t shoves = 0, sum = 0;

  void on(const shove& m, perdure::block_context& ctx) const {
    const std::uint32_t by = m.by;
    ctx.has_read();
    ctx.for_each<150>(*this, [&](strip& me, int i, int) {
      me.a[static_cast<std::size_t>(i)] += by * static_cast<std::uint32_t>(i);
    });
    ctx.once(*this, [&](strip& me) {
      ++me.shoves;
      for (const std::uint32_t one : me.a) me.sum = me.sum * 31U + one;
    });
    ctx.for_each<150>(*this, [&](strip& me, int i, int) {
      me.b[static_cast<std::size_t>(i)] = me.a[static_cast<std::size_t>(149 - i)] + me.sum;
    });
  }
};
