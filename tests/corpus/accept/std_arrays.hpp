// tests/corpus/accept/std_arrays.hpp - std::array in messages and state: nested, iterated, compared, filled.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct matrix {
  std::array<std::array<std::int32_t, 3>, 2> rows;
};

struct solver : perdure::actor<solver> {
  std::array<std::array<std::int64_t, 3>, 2> sum{};
  std::array<std::uint8_t, 5> small = {9, 8, 7};
  std::array<float, 4> floats{};
  std::uint32_t same = 0;
  std::int64_t corner = 0;

  void on(const matrix& m, perdure::context&) {
    for (std::size_t r = 0; r < m.rows.size(); ++r) {
      for (std::size_t c = 0; c < m.rows[r].size(); ++c) sum[r][c] += m.rows[r][c];
    }
    if (m.rows[0] == m.rows[1]) ++same;
    corner = sum.front().front() - sum.back().back();
    auto copy = small;
    copy.fill(static_cast<std::uint8_t>(m.rows[0][0] & 15));
    small[1] = copy[2];
    std::size_t at = 0;
    for (auto& f : floats) f += static_cast<float>(at++);
    for (auto it = small.begin(); it != small.end(); ++it) corner += *it;
    corner += std::get<1>(small) + static_cast<std::int64_t>(small.empty() ? 1 : 0);
    corner += *(small.data() + 2);
  }
};
