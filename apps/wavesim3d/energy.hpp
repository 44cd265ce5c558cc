// apps/wavesim3d/energy.hpp - the energy that the scheme itself conserves where nothing damps.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene.hpp"
#include "world.hpp"

namespace wavesim3d {

/// In Pa^2, summed over cells, in double.
struct energy {
  int step = 0;
  double kinetic = 0;  ///< at n - 1/2: half the sum of (p(n) - p(n-1))^2 / courant2
  double potential =
      0;  ///< half the sum over pairs of neighbours of their differences' product, at n and at n-1
  double total() const { return kinetic + potential; }
};

/// Constant but for rounding while no source acts and nothing damps or absorbs; absorbing faces have no pair.
class energy_meter {
 public:
  energy_meter(const scene& s, const world& w);
  /// @param now, past  p(n) and p(n-1): [nz][ny][nx], Pa.
  energy measure(int step, std::span<const float> now, std::span<const float> past) const;

 private:
  std::array<std::size_t, 3> apart_;  ///< of neighbours, in cells
  std::vector<float> courant2_;       ///< [nz][ny][nx]
  std::vector<std::uint8_t>
      pairs_;  ///< bits: 1 << axis with the next cell; 8 times the number of walls of pressure 0
};

}  // namespace wavesim3d
