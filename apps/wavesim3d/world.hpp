// apps/wavesim3d/world.hpp - what every cell of a scene does: its Courant number, its damping, its neighbours.
// Why: shapes, walls and sponges become three numbers a cell, the same for tiles, references and energies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "scene.hpp"

namespace wavesim3d {

struct cell_law {
  float courant2 = 0;    ///< (speed * time step / spacing)^2; 0: the pressure stays 0
  float damping = 0;     ///< rate * time step / 2, without that of the whole scene
  float neighbours = 0;  ///< that are no rigid wall, and a little more or less in a sponge
  friend bool operator==(const cell_law&, const cell_law&) = default;
};

class world {
 public:
  explicit world(const scene& s);
  /// Outside the grid: all 0.
  cell_law at(const std::array<int, 3>& cell) const;
  /// Number of the material of a cell of the grid.
  std::size_t material(const std::array<int, 3>& cell) const;
  /// Whether what comes to the face goes on by first-order Mur.
  bool absorbs(std::size_t face) const;
  /// The damping of the whole scene: rate * time step / 2.
  float damping() const;

 private:
  bool rigid(const std::array<int, 3>& cell) const;
  const scene& scene_;
  std::vector<std::uint8_t> materials_;    ///< [nz][ny][nx]; empty: no bodies
  std::vector<float> courant2_, damping_;  ///< of each material
  struct soak {
    float damping = 0, more_neighbours = 0;
  };
  std::vector<soak> sponge_;  ///< [material][depth], the outermost first
};

}  // namespace wavesim3d
