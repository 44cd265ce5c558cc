// tests/corpus/accept/c_arrays.hpp - C arrays, also of structs and in two dimensions, in state and as locals.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

struct put {
  std::uint16_t row, column;
  std::int32_t value;
};

struct entry {
  std::int32_t last;
  std::uint16_t hits[2];
};

struct board : perdure::actor<board> {
  std::int32_t cells[4][5] = {};
  entry rows[4] = {};
  std::uint8_t letters[8] = "perdure";
  std::int64_t checksum = 0;

  void on(const put& m, perdure::context&) {
    const std::size_t r = m.row % 4U, c = m.column % 5U;
    cells[r][c] = m.value;
    rows[r].last = m.value;
    std::uint16_t& hit = rows[r].hits[c % 2U];
    hit = static_cast<std::uint16_t>(hit + 1U);
    const std::int32_t weights[] = {3, -1, 4, -1, 5};
    checksum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      for (std::size_t k = 0; k < sizeof weights / sizeof weights[0]; ++k) {
        checksum += std::int64_t{cells[i][k]} * weights[k];
      }
    }
    checksum += letters[c];
  }
};
