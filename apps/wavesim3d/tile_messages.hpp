// apps/wavesim3d/tile_messages.hpp - what tiles are told and tell, and what stands in them: sources, receivers, traces.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

namespace wavesim3d {

/// Tells a tile to take so many steps; all tiles get the same.
struct advance {
  std::int32_t steps;
  /// 0: it steps as faces come. Tiles that are swapped take two steps at a time, in turns: half of them, of whom no two are
  /// neighbours, begin with one step, 1, and the others with two, 2.
  std::int32_t turns;
};
/// A tile's message to itself: a tile that was not told to advance does not step when its neighbours' faces come.
struct go {};

/// What the cells of a kind do, ready to use: p(n+1) = now p(n) - past p(n-1) + courant2 (sum - neighbours p(n)); neighbours:
/// that are no rigid wall, 6 or fewer.
struct alignas(16) law {
  float now, past, courant2, neighbours;
};
/// The pressure that one receiver saw, for the host.
struct trace {
  static constexpr int length = 48;
  std::int32_t receiver;
  std::uint32_t first_step;  ///< modulo 2^32
  std::uint32_t count;
  std::array<float, length> pressure;
};

/// What a source adds to its cell after each step, as a recurrence of + and * only, so that every backend adds the same
/// bits: value = scale * (1 - 2 * rise * n * n) * a, and then n += 1, a' = a * b + c * d, c' = c * b - a * d, b *= q.
struct source {
  static constexpr std::uint32_t over_a_shape = ~0U;
  std::uint32_t cell;
  float value;  ///< of the step in hand
  double scale, rise, n, a, b, c, d, q;

  void go_on() {
    value = static_cast<float>(scale * (1.0 - 2.0 * rise * n * n) * a);
    const double next = a * b + c * d;
    c = c * b - a * d;
    a = next;
    b *= q;
    n += 1.0;
  }
};
struct receiver {
  std::int32_t id;
  std::uint32_t cell;
};

}  // namespace wavesim3d
