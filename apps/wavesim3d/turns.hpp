// apps/wavesim3d/turns.hpp - tiles that are swapped take two steps at a time, in turns, like the fields of a chessboard.
// Why: no two neighbours are more than one step apart then, so that two steps a visit need no wider faces.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "cut.hpp"

namespace wavesim3d {

inline bool is_odd(const cut& grid, std::size_t t) {
  const auto p = grid.place(t);
  return (p[0] + p[1] + p[2]) % 2 != 0;
}

/// Where each tile stands among the actors: those that take turns first the even ones, then the odd ones, so that each
/// worker has half of its tiles of each kind.
inline std::vector<std::size_t> seats(const cut& grid, bool in_turns) {
  std::vector<std::size_t> at(grid.count());
  std::iota(at.begin(), at.end(), std::size_t{0});
  if (!in_turns) return at;
  std::size_t next = 0;
  for (const bool odd : {false, true}) {
    for (std::size_t t = 0; t < at.size(); ++t) {
      if (is_odd(grid, t) == odd) at[t] = next++;
    }
  }
  return at;
}

}  // namespace wavesim3d
