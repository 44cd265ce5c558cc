// tests/corpus/accept/float_arithmetic.hpp - float and double: + - * / sqrt fma, conversions, comparisons, bit casts.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <perdure/actor.hpp>

struct vector_in {
  double x, y;
  float z;
};

struct integrator : perdure::actor<integrator> {
  double x = 1.0, v = 0.125, energy = 0;
  float fx = 0.1F, worst = std::numeric_limits<float>::lowest();
  std::int64_t rounded = 0;
  std::uint64_t bits = 0;

  void on(const vector_in& m, perdure::context&) {
    const double dt = 1.0 / 3.0;
    v += (m.x - x) * dt;            // must not be contracted
    x = std::fma(v, dt, x);         // must be fused
    energy = std::sqrt(m.x * m.x + m.y * m.y) + 0.5 * v * v;
    fx = fx * m.z + 1.0F / (1.0F + m.z * m.z);
    fx = std::fma(fx, 0.75F, -m.z) - std::sqrt(std::fabs(m.z));
    if (!(fx < 1e6F) || std::isnan(fx)) fx = 0.25F;
    if (m.z > worst) worst = m.z;
    rounded += static_cast<std::int64_t>(energy) + static_cast<std::int64_t>(std::floor(m.y)) +
               static_cast<std::int64_t>(std::ceil(m.x)) + static_cast<std::int64_t>(std::trunc(m.y * 0.5));
    bits ^= std::bit_cast<std::uint64_t>(x) + std::bit_cast<std::uint32_t>(fx);
    energy += std::fmax(m.x, m.y) - std::fmin(m.x, 0.0) + std::copysign(0.5, m.y);
  }
};
