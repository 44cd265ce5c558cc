// tests/corpus/accept/wide_tables_and_algorithms.hpp - constexpr tables, std::array algorithms, optional,
//   span, min and clamp inside regions.
// SPDX-License-Identifier: Apache-2.0
// ORDER-FREE: each message comes from the host and stays with its receiver
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <perdure/actor.hpp>

struct stir_up {
  std::uint32_t by;
};

constexpr auto squares = [] {
  std::array<std::uint32_t, 16> t{};
  for (std::uint32_t i = 0; i < t.size(); ++i) t[i] = i * i;
  return t;
}();
constexpr std::optional<std::uint32_t> even_half(std::uint32_t n) {
  if (n % 2U != 0) return std::nullopt;
  return n / 2U;
}

struct sorter : perdure::block_actor<sorter> {
  static constexpr int lanes = 32;
  std::array<std::array<std::uint32_t, 8>, 40> row{};
  std::uint32_t halves = 0;
  std::uint64_t smallest = 0;

  void on(const stir_up& m, perdure::block_context& ctx) const {
    ctx.for_each<40>(*this, [&](sorter& me, int i, int) {
      auto& mine = me.row[static_cast<std::size_t>(i)];
      for (std::uint32_t n = 0; n < mine.size(); ++n)
        mine[n] = (mine[n] * 7U + m.by + squares[(n + static_cast<std::uint32_t>(i)) % squares.size()]) % 1009U;
      std::sort(mine.begin(), mine.end());
      std::reverse(mine.begin() + 2, mine.end());
      mine[7] = std::clamp(mine[7], 10U, 900U);
    });
    const auto halves_now = ctx.reduce<40>(
        *this, 0U,
        [](const sorter& me, int i) {
          std::uint32_t n = 0;
          for (const std::uint32_t v : std::span{me.row[static_cast<std::size_t>(i)]})
            n += even_half(v).value_or(0U) % 3U;
          return n;
        },
        [](std::uint32_t a, std::uint32_t b) { return a + b; });
    ctx.once(*this, [&](sorter& me) {
      me.halves = halves_now;
      for (const auto& r : me.row) me.smallest += std::min(r[0], r[7]);
    });
  }
};
