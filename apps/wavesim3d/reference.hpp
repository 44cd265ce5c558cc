// apps/wavesim3d/reference.hpp - the scheme as a loop over one array with a layer of ghost cells around it.
// Why: it knows neither tiles nor lanes; what it computes in floats the tiles must compute to the bit.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "scene.hpp"
#include "waveform.hpp"
#include "world.hpp"

namespace wavesim3d {

template <class Real>
class plain_loop {
 public:
  plain_loop(const scene& s, const std::vector<float>& field, float past_ratio)
      : scene_{s}, world_{scene_}, now_(padded()), past_(padded()), next_(padded()) {
    std::size_t i = 0;
    each([&](const std::array<int, 3>& c, std::size_t at) {
      now_[at] = field[i];
      past_[at] = static_cast<Real>(past_ratio * field[i]);
      laws_.push_back(world_.at(c));
      ++i;
    });
    for (const source_spec& f : scene_.sources) waves_.push_back(waveform_of(f, s.time_step_s()));
    damp(s.damping_per_s);
  }
  plain_loop(const plain_loop&) = delete;
  plain_loop& operator=(const plain_loop&) = delete;

  void step() {
    absorb();
    const std::size_t row = static_cast<std::size_t>(scene_.cells[0]) + 2;
    const std::size_t plane = row * (static_cast<std::size_t>(scene_.cells[1]) + 2);
    std::size_t n = 0;
    each([&](const std::array<int, 3>&, std::size_t i) {
      const terms& k = terms_[n++];
      const Real sum = now_[i - 1] + now_[i + 1] + now_[i - row] + now_[i + row] + now_[i - plane] +
                       now_[i + plane];
      next_[i] = k.now * now_[i] - k.past * past_[i] + k.courant2 * (sum - k.neighbours * now_[i]);
    });
    std::swap(past_, now_);
    std::swap(now_, next_);
    for (std::size_t f = 0; f < waves_.size(); ++f) add(scene_.sources[f], waves_[f]);
  }
  void damp(double rate_per_s) {
    const auto damping =
        static_cast<Real>(static_cast<float>(rate_per_s * scene_.time_step_s() / 2));
    terms_.clear();
    for (const cell_law& l : laws_) {
      const Real g = damping + static_cast<Real>(l.damping), one = 1, two = 2;
      terms_.push_back(l.courant2 == 0 ? terms{0, 0, 0, 0}
                                       : terms{two / (one + g), (one - g) / (one + g),
                                               static_cast<Real>(l.courant2) / (one + g),
                                               static_cast<Real>(l.neighbours)});
    }
  }
  void inject(const source_spec& f) {
    scene_.sources.push_back(f);
    waves_.push_back(waveform_of(f, scene_.time_step_s()));
  }
  std::vector<Real> field() {
    std::vector<Real> out;
    each([&](const std::array<int, 3>&, std::size_t i) { out.push_back(now_[i]); });
    return out;
  }
  Real at(const std::array<int, 3>& c) const { return now_[place(c)]; }

 private:
  /// The ghosts behind absorbing faces, first-order Mur; those of the last step lie around past_.
  void absorb() {
    each([&](const std::array<int, 3>& c, std::size_t cell) {
      for (std::size_t face = 0; face < 6; ++face) {
        const std::size_t a = face / 2;
        const int edge = face % 2 == 0 ? 0 : scene_.cells[a] - 1;
        if (c[a] != edge || !world_.absorbs(face)) continue;
        auto behind = c;
        behind[a] += face % 2 == 0 ? -1 : 1;
        const std::size_t ghost = place(behind);
        const Real courant = static_cast<Real>(std::sqrt(world_.at(c).courant2)), one = 1;
        now_[ghost] = past_[cell] + (courant - one) / (courant + one) * (now_[cell] - past_[ghost]);
      }
    });
  }
  void add(const source_spec& what, source& w) {
    const double value = w.scale * (1.0 - 2.0 * w.rise * w.n * w.n) * w.a;
    const auto add = static_cast<Real>(static_cast<float>(value));
    if (!what.over) {
      now_[place(what.at)] += add;
    } else {
      each([&](const std::array<int, 3>& c, std::size_t i) {
        if (what.over->holds(c) && world_.at(c).courant2 != 0) now_[i] += add;
      });
    }
    const double a = w.a * w.b + w.c * w.d;
    w.c = w.c * w.b - w.a * w.d;
    w.a = a;
    w.b *= w.q;
    w.n += 1.0;
  }
  std::size_t padded() const {
    return static_cast<std::size_t>(scene_.cells[0] + 2) *
           static_cast<std::size_t>(scene_.cells[1] + 2) *
           static_cast<std::size_t>(scene_.cells[2] + 2);
  }
  std::size_t place(const std::array<int, 3>& c) const {
    const auto size = [](int n) { return static_cast<std::size_t>(n); };
    return (size(c[2] + 1) * size(scene_.cells[1] + 2) + size(c[1] + 1)) *
               size(scene_.cells[0] + 2) +
           size(c[0] + 1);
  }
  template <class F>
  void each(F f) {
    for (int z = 0; z < scene_.cells[2]; ++z) {
      for (int y = 0; y < scene_.cells[1]; ++y) {
        for (int x = 0; x < scene_.cells[0]; ++x) {
          const std::array<int, 3> c{x, y, z};
          f(c, place(c));
        }
      }
    }
  }
  scene scene_;
  world world_;
  std::vector<Real> now_, past_, next_;
  std::vector<cell_law> laws_;
  struct terms {
    Real now, past, courant2, neighbours;
  };
  std::vector<terms> terms_;
  std::vector<source> waves_;
};

}  // namespace wavesim3d
