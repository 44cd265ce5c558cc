// apps/wavesim3d/world.cpp - see world.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <algorithm>
#include <cmath>

namespace wavesim3d {
namespace {

/// What a sponge leaves of a wave that crosses it there and back; the rest meets Mur's condition behind it.
constexpr double sponge_residue = 0.001;
/// The natural logarithm of what a wave has lost that has gone `depth` cells deep; its slope, the damping, rises with the
/// square of the depth.
double sponge_loss(double depth, int cells) {
  const double part = std::max(depth, 0.0) / cells;
  return std::log(1 / sponge_residue) / 2 * part * part * part;
}

float half_step(double rate_per_s, const scene& s) {
  return static_cast<float>(rate_per_s * s.time_step_s() / 2);
}

}  // namespace

world::world(const scene& s) : scene_{s} {
  for (const material_spec& m : s.materials) {
    const double c = m.kind == substance::fluid ? s.courant * (m.speed_m_s / s.fastest_m_s()) : 0;
    courant2_.push_back(static_cast<float>(c * c));
    damping_.push_back(half_step(m.damping_per_s, s));
  }
  // A damping that rises reflects at its rise. p'' + 2 d p' + (d^2 - c d/dx d) p = c^2 laplacian p does not: what goes outwards
  // is exp(-S) times a free wave, S' = d / c, for each frequency. The term of p is what exp(-S) and its neighbours come to.
  for (const float courant2 : courant2_) {
    const double slower = courant2 == 0 ? 0 : s.courant / std::sqrt(courant2);
    for (int i = 0; i < s.sponge_cells; ++i) {
      const double depth = s.sponge_cells - i - 0.5;
      const auto loss = [&](double cells) { return sponge_loss(depth + cells, s.sponge_cells); };
      const double before = slower * (loss(0) - loss(-1)), after = slower * (loss(1) - loss(0));
      sponge_.push_back({static_cast<float>(s.courant * (loss(1) - loss(-1)) / 2),
                         static_cast<float>(std::exp(before) + std::exp(-after) - 2)});
    }
  }
  if (s.bodies.empty()) return;
  materials_.reserve(static_cast<std::size_t>(s.cell_count()));
  for (int z = 0; z < s.cells[2]; ++z) {
    for (int y = 0; y < s.cells[1]; ++y) {
      for (int x = 0; x < s.cells[0]; ++x) {
        materials_.push_back(static_cast<std::uint8_t>(s.material_of({x, y, z})));
      }
    }
  }
}

std::size_t world::material(const std::array<int, 3>& c) const {
  if (materials_.empty()) return 0;
  const auto row = static_cast<std::size_t>(c[2]) * static_cast<std::size_t>(scene_.cells[1]) +
                   static_cast<std::size_t>(c[1]);
  return materials_[row * static_cast<std::size_t>(scene_.cells[0]) +
                    static_cast<std::size_t>(c[0])];
}

bool world::absorbs(std::size_t face) const { return wavesim3d::absorbs(scene_.faces[face]); }

float world::damping() const { return half_step(scene_.damping_per_s, scene_); }

bool world::rigid(const std::array<int, 3>& c) const {
  for (std::size_t a = 0; a < 3; ++a) {
    if (c[a] < 0) return scene_.faces[2 * a] == boundary::reflecting;
    if (c[a] >= scene_.cells[a]) return scene_.faces[2 * a + 1] == boundary::reflecting;
  }
  return scene_.materials[material(c)].kind == substance::rigid;
}

cell_law world::at(const std::array<int, 3>& c) const {
  for (std::size_t a = 0; a < 3; ++a) {
    if (c[a] < 0 || c[a] >= scene_.cells[a]) return {};
  }
  const std::size_t m = material(c);
  cell_law out{courant2_[m], damping_[m], 6};
  if (out.courant2 == 0) return {};
  soak deepest;
  for (std::size_t a = 0; a < 3; ++a) {
    for (const int way : {-1, 1}) {
      auto next = c;
      next[a] += way;
      if (rigid(next)) out.neighbours -= 1;
      const int depth = way < 0 ? c[a] : scene_.cells[a] - 1 - c[a];
      const bool soaks = scene_.faces[2 * a + (way < 0 ? 0 : 1)] == boundary::sponge;
      if (!soaks || depth >= scene_.sponge_cells) continue;
      const soak here = sponge_[m * static_cast<std::size_t>(scene_.sponge_cells) +
                                static_cast<std::size_t>(depth)];
      if (here.damping > deepest.damping) deepest = here;
    }
  }
  out.damping += deepest.damping;
  out.neighbours += deepest.more_neighbours;
  // near the largest Courant number there is, more neighbours ask for a little less speed
  const float most = 4 / (6 + std::max(out.neighbours, 6.0F));
  out.courant2 = std::min(out.courant2, most);
  return out;
}

}  // namespace wavesim3d
