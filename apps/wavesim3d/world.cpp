// apps/wavesim3d/world.cpp - see world.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "world.hpp"

#include <algorithm>
#include <cmath>

namespace wavesim3d {
namespace {

/// What a sponge leaves of a wave that crosses it there and back, were its own rise to reflect nothing. Less would reflect
/// more at the rise (wavesim3d-accuracy measures it); the rest meets Mur's condition behind it.
constexpr double sponge_residue = 0.1;

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
  // The rate rises with the square of the depth: the amplitude falls by exp(-integral of rate / speed) there and back.
  const double depth_m = s.sponge_cells * s.spacing_m;
  const double most = 3 * s.fastest_m_s() * std::log(1 / sponge_residue) / depth_m;
  for (int i = 0; i < s.sponge_cells; ++i) {
    const double d = (s.sponge_cells - i - 0.5) / s.sponge_cells;
    sponge_.push_back(half_step(most * d * d, s));
  }
  if (s.bodies.empty()) return;
  materials_.reserve(static_cast<std::size_t>(s.cell_count()));
  for (int z = 0; z < s.cells[2]; ++z) {
    for (int y = 0; y < s.cells[1]; ++y) {
      for (int x = 0; x < s.cells[0]; ++x) {
        const auto last = std::find_if(s.bodies.rbegin(), s.bodies.rend(),
                                       [&](const auto& b) { return b.where.holds({x, y, z}); });
        materials_.push_back(
            static_cast<std::uint8_t>(last == s.bodies.rend() ? 0 : last->material));
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

bool world::absorbs(std::size_t face) const {
  return scene_.faces[face] == boundary::mur || scene_.faces[face] == boundary::sponge;
}

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
  float sponge = 0;
  for (std::size_t a = 0; a < 3; ++a) {
    for (const int way : {-1, 1}) {
      auto next = c;
      next[a] += way;
      if (rigid(next)) out.neighbours -= 1;
      const int depth = way < 0 ? c[a] : scene_.cells[a] - 1 - c[a];
      const bool soaks = scene_.faces[2 * a + (way < 0 ? 0 : 1)] == boundary::sponge;
      if (soaks && depth < scene_.sponge_cells)
        sponge = std::max(sponge, sponge_[static_cast<std::size_t>(depth)]);
    }
  }
  out.damping += sponge;
  return out;
}

}  // namespace wavesim3d
