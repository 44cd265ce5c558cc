// apps/wavesim3d/energy.cpp - see energy.hpp.
// SPDX-License-Identifier: Apache-2.0
#include "energy.hpp"

namespace wavesim3d {

energy_meter::energy_meter(const scene& s, const world& w)
    : apart_{1, static_cast<std::size_t>(s.cells[0]),
             static_cast<std::size_t>(s.cells[0]) * static_cast<std::size_t>(s.cells[1])} {
  const auto rigid = [&](const std::array<int, 3>& c) {
    return s.materials[w.material(c)].kind == substance::rigid;
  };
  courant2_.reserve(static_cast<std::size_t>(s.cell_count()));
  pairs_.reserve(courant2_.capacity());
  for (int z = 0; z < s.cells[2]; ++z) {
    for (int y = 0; y < s.cells[1]; ++y) {
      for (int x = 0; x < s.cells[0]; ++x) {
        const std::array<int, 3> c{x, y, z};
        courant2_.push_back(w.at(c).courant2);
        unsigned pairs = 0;
        for (std::size_t a = 0; a < 3 && !rigid(c); ++a) {
          auto next = c;
          ++next[a];
          if (next[a] < s.cells[a] && !rigid(next)) pairs |= 1U << a;
          if (c[a] == 0 && s.faces[2 * a] == boundary::dirichlet) pairs += 8;
          if (next[a] == s.cells[a] && s.faces[2 * a + 1] == boundary::dirichlet) pairs += 8;
        }
        pairs_.push_back(static_cast<std::uint8_t>(pairs));
      }
    }
  }
}

energy energy_meter::measure(int step, std::span<const float> now,
                             std::span<const float> past) const {
  energy out;
  out.step = step;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const double p = now[i], q = past[i];
    if (courant2_[i] != 0) out.kinetic += (p - q) * (p - q) / double{courant2_[i]};
    for (std::size_t a = 0; a < 3; ++a) {
      if ((pairs_[i] >> a & 1U) == 0) continue;
      out.potential += (p - double{now[i + apart_[a]]}) * (q - double{past[i + apart_[a]]});
    }
    out.potential += (pairs_[i] >> 3U) * p * q;
  }
  out.kinetic /= 2;
  out.potential /= 2;
  return out;
}

}  // namespace wavesim3d
