// tests/corpus/include/corpus/geometry.hpp - a user's header, found through -I, included by an actor header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace geometry {

struct point {
  std::int32_t x = 0, y = 0;
  friend constexpr point operator-(point a, point b) { return {a.x - b.x, a.y - b.y}; }
};

std::int64_t cross(point a, point b);
inline std::int64_t cross(point a, point b) {
  return std::int64_t{a.x} * b.y - std::int64_t{a.y} * b.x;
}
constexpr std::int32_t never_called(std::int32_t x) { return x; }

}  // namespace geometry
