// tests/corpus/accept/user_literals.hpp - user-defined literals: integers, characters and a numeric literal operator template.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <perdure/actor.hpp>

namespace units {
struct metres {
  std::int64_t value;
};
inline namespace literals {
constexpr metres operator""_m(unsigned long long v) { return {static_cast<std::int64_t>(v)}; }
constexpr metres operator""_km(unsigned long long v) { return {static_cast<std::int64_t>(v) * 1000}; }
constexpr std::uint32_t operator""_code(char c) { return static_cast<std::uint32_t>(c) * 2U; }
template <char... Digits>
constexpr std::uint32_t operator""_b3() {
  std::uint32_t v = 0;
  ((v = v * 3U + static_cast<std::uint32_t>(Digits - '0')), ...);
  return v;
}
}  // namespace literals
}  // namespace units

struct walk {
  std::uint16_t steps;
};

struct walker : perdure::actor<walker> {
  std::int64_t metres = 0;
  std::uint32_t codes = 0;
  void on(const walk& m, perdure::context&) {
    using namespace units::literals;
    metres += (m.steps > 50U ? 2_km : 3_m).value;
    codes += 'k'_code + 2101_b3 + 0x1'0U + 0b101U + 1'000U;
  }
};
