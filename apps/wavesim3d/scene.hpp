// apps/wavesim3d/scene.hpp - what is simulated and what is written: a scene file, checked.
// Why: everything that can be wrong with a scene is found before anything runs or is written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "shape.hpp"

namespace wavesim3d {

enum class wave { impulse, ricker, sine };

/// Adds to the pressure of one cell, or of each cell of a shape, after every step. A tile takes a few (see tile::most).
struct source_spec {
  wave kind = wave::impulse;
  std::array<int, 3> at{};      ///< cell
  std::optional<shape> over{};  ///< then `at` is not used
  double amplitude_pa = 1;      ///< impulse: once; the others: at their peak, a step
  double frequency_hz = 0;      ///< ricker: of its peak; sine
  double delay_s = 0;           ///< ricker: time of its peak
  /// Sine. One that starts at 90 + 180 * frequency * time step degrees leaves no constant pressure behind: its sum over
  /// the steps swings around 0. Half a step's turn less leaves half of a step's amplitude.
  double phase_deg = 0;
};
struct receiver_spec {
  std::string name;
  std::array<int, 3> at{};
};
/// A picture of one plane of cells, every so many steps.
struct slice_spec {
  int axis = 2;  ///< 0 x, 1 y, 2 z: the axis that the plane is normal to
  int index = 0;
  int every = 0;        ///< steps; 0: only at the end
  double range_pa = 0;  ///< drawn in full colour; 0: the largest pressure of the picture
};

/// What lies one cell outside the grid: pressure 0; a rigid wall; a rise of the damping within the last cells, and then
/// mur; what lets waves of normal incidence out (first order, Mur 1981).
enum class boundary { dirichlet, reflecting, sponge, mur };
/// A sponge has Mur's condition behind it.
constexpr bool absorbs(boundary b) { return b == boundary::sponge || b == boundary::mur; }
inline constexpr std::array<const char*, 6> face_names = {"west",  "east", "south",
                                                          "north", "down", "up"};
/// rigid: a wall that reflects with the same sign; soft: pressure 0.
enum class substance { fluid, rigid, soft };
struct material_spec {
  std::string name;
  substance kind = substance::fluid;
  double speed_m_s = 343, damping_per_s = 0;
};
/// A shape that consists of a material; later ones cover earlier ones.
struct body_spec {
  int material = 0;
  shape where;
};

struct scene {
  std::string name;
  std::string path;            ///< of its file; empty: it has none
  std::array<int, 3> cells{};  ///< x, y, z
  double spacing_m = 0.01;
  std::vector<material_spec> materials{{"medium"}};  ///< the first is where no body is
  std::vector<body_spec> bodies;
  double damping_per_s = 0;         ///< of everything: p'' + damping p' = speed^2 laplacian p
  std::array<boundary, 6> faces{};  ///< as face_names
  int sponge_cells = 20;
  double courant = 0.5;  ///< fastest speed * time step / spacing
  int steps = 0;
  std::array<int, 3> mode{};  ///< initial field: half waves along each axis, all 0: none
  std::vector<source_spec> sources;
  std::vector<receiver_spec> receivers;
  std::vector<slice_spec> slices;
  int energy_every = 0, vti_every = 0;  ///< steps; 0: never

  double fastest_m_s() const;
  /// Number of the material of a cell: that of the last body there.
  int material_of(const std::array<int, 3>& cell) const;
  double time_step_s() const { return courant * spacing_m / fastest_m_s(); }
  /// One medium without damping, pressure 0 outside the grid, sources in cells only.
  bool plain() const;
  /// What a refusal begins with: the file, or the name of a scene that has none.
  const std::string& origin() const { return path.empty() ? name : path; }
  long long cell_count() const { return 1LL * cells[0] * cells[1] * cells[2]; }
};

/// @throws apps::failure naming the file and the key, with what is allowed there.
scene read_scene(const std::string& path);

}  // namespace wavesim3d
