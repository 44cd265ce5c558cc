// tests/corpus/accept/overload_sets.hpp - free functions chosen by overload and by argument-dependent lookup, also through templates.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

namespace shapes {
struct circle {
  std::uint32_t radius;
};
struct box {
  std::uint32_t width, height;
};
constexpr std::uint64_t size_of(const circle& c) { return std::uint64_t{c.radius} * c.radius * 3U; }
constexpr std::uint64_t size_of(const box& b) { return std::uint64_t{b.width} * b.height; }
}  // namespace shapes

constexpr std::uint64_t size_of(std::uint32_t x) { return x; }
constexpr std::uint64_t size_of(double x) { return x < 0 ? 0U : 1U; }
constexpr std::uint64_t size_of(...) { return 99; }

template <class T>
std::uint64_t twice(const T& t) { return 2U * size_of(t); }  // found where it is instantiated

struct drawing {
  shapes::circle c;
  shapes::box b;
};

struct canvas : perdure::actor<canvas> {
  std::uint64_t covered = 0;
  static std::uint64_t capped(std::uint64_t x) { return x > 100'000U ? 100'000U : x; }
  void on(const drawing& m, perdure::context& ctx) {
    covered += capped(twice(m.c)) + capped(twice(m.b));
    covered += size_of(m.c.radius) + size_of(0.5) + (ctx.sender() ? 1U : 0U);
  }
};
