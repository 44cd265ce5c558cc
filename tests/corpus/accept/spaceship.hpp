// tests/corpus/accept/spaceship.hpp - defaulted and written three-way comparisons, and defaulted equality.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

#include <perdure/actor.hpp>

struct version {
  std::uint16_t major_part, minor_part;
  std::uint32_t build;
  friend constexpr auto operator<=>(const version&, const version&) = default;
};

struct priority {
  std::int32_t level;
  std::uint32_t age;
  constexpr bool operator==(const priority&) const = default;
  constexpr std::strong_ordering operator<=>(const priority& o) const {
    if (const auto c = o.level <=> level; c != 0) return c;  // higher first
    return age <=> o.age;
  }
};

struct candidate {
  version v;
  priority p;
};

struct chooser : perdure::actor<chooser> {
  version newest{0, 0, 0};
  priority first{-1000, 0};
  std::uint32_t equal = 0, less = 0;
  void on(const candidate& m, perdure::context&) {
    if (m.v > newest) newest = m.v;
    if (m.p < first) first = m.p;
    if (m.v == newest) ++equal;
    if (std::is_lt(m.p <=> first) || (1.5 <=> 2.5) < 0) ++less;
    if (m.p != first && m.v <= newest) less += 2U;
  }
};
