// apps/wavesim3d/scene.hpp - what is simulated and what is written: a scene file, checked.
// Why: everything that can be wrong with a scene is found before anything runs or is written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <string>
#include <vector>

namespace wavesim3d {

enum class wave { impulse, ricker, sine };

/// Adds to the pressure of one cell after every step.
struct source_spec {
  wave kind = wave::impulse;
  std::array<int, 3> at{};  ///< cell
  double amplitude_pa = 1;  ///< impulse: once; the others: at their peak, a step
  double frequency_hz = 0;  ///< ricker: of its peak; sine
  double delay_s = 0;       ///< ricker: time of its peak; 0: one and a half periods
};
struct receiver_spec {
  std::string name;
  std::array<int, 3> at{};
};
/// A picture of one plane of cells, every so many steps.
struct slice_spec {
  int axis = 2;  ///< 0 x, 1 y, 2 z: the axis that the plane is normal to
  int index = 0;
  int every = 0;  ///< steps; 0: only at the end
};

struct scene {
  std::string name;
  std::array<int, 3> cells{};  ///< x, y, z; pressure is 0 one cell outside
  double spacing_m = 0.01, speed_m_s = 343;
  double courant = 0.5;  ///< speed * time step / spacing
  int steps = 0;
  std::array<int, 3> mode{};  ///< initial field: half waves along each axis, all 0: none
  std::vector<source_spec> sources;
  std::vector<receiver_spec> receivers;
  std::vector<slice_spec> slices;

  double time_step_s() const { return courant * spacing_m / speed_m_s; }
  long long cell_count() const { return 1LL * cells[0] * cells[1] * cells[2]; }
};

/// @throws apps::failure naming the file and the key, with what is allowed there.
scene read_scene(const std::string& path);

}  // namespace wavesim3d
