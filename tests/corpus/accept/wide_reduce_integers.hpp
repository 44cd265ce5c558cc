// tests/corpus/accept/wide_reduce_integers.hpp - reduce over integers: N a multiple of the lanes, none,
//   fewer, one; sum, maximum, exclusive or.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

struct count {
  std::int32_t from;
};

struct counter : perdure::block_actor<counter> {
  static constexpr int lanes = 128;
  std::int64_t value[300] = {};
  std::int64_t sum = 0;
  std::int64_t most = 0;
  std::uint64_t parity = 0;
  std::int32_t first = 0, few = 0;

  void on(const count& m, perdure::block_context& ctx) const {
    ctx.for_each<300>(*this, [&](counter& me, int i, int) { me.value[i] += m.from % 1000 + i; });
    const auto all = ctx.reduce<300>(
        *this, std::int64_t{0}, [](const counter& me, int i) { return me.value[i]; },
        [](std::int64_t a, std::int64_t b) { return a + b; });
    const auto top = ctx.reduce<256>(
        *this, INT64_MIN, [](const counter& me, int i) { return me.value[i] ^ i; },
        [](std::int64_t a, std::int64_t b) { return a > b ? a : b; });
    const auto mixed = ctx.reduce<129>(
        *this, std::uint64_t{0}, [](const counter& me, int i) { return static_cast<std::uint64_t>(me.value[i]); },
        [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
    const int five = ctx.reduce<5>(
        *this, 0, [](const counter&, int i) { return i; }, [](int a, int b) { return a + b; });
    const int one = ctx.reduce<1>(
        *this, 0, [](const counter&, int i) { return i + 1; }, [](int a, int b) { return a + b; });
    ctx.once(*this, [&](counter& me) {
      me.sum = all;
      me.most = top;
      me.parity ^= mixed;
      me.few = five;
      me.first += one;
    });
  }
};
