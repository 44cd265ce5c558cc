// tests/corpus/accept/default_arguments.hpp - default arguments of functions, members and templates, with calls inside them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

constexpr std::uint32_t step_of_day() { return 24; }
constexpr std::uint32_t mix(std::uint32_t a, std::uint32_t b = step_of_day(), std::uint32_t c = 2U * step_of_day()) {
  return a * 7U + b * 5U + c;
}
std::uint32_t later(std::uint32_t x, std::uint32_t by = 9U);  // the default stands at the declaration
inline std::uint32_t later(std::uint32_t x, std::uint32_t by) { return x + by; }

template <class T = std::uint16_t, std::uint32_t N = 3>
struct repeated {
  T value{};
  constexpr std::uint32_t all(std::uint32_t extra = N * 2U) const { return N * value + extra; }
};

struct push {
  std::uint32_t amount;
  std::uint8_t mode;
};

struct roller : perdure::actor<roller> {
  std::uint32_t at = 0;
  repeated<> kept;

  void move(std::uint32_t by, bool forward = true) { at += forward ? by : 1U; }
  void on(const push& m, perdure::context&) {
    switch (m.mode % 4U) {
      case 0: at += mix(m.amount); break;
      case 1: at += mix(m.amount, 1U); break;
      case 2: move(m.amount); break;
      default: move(m.amount, false); break;
    }
    kept.value = static_cast<std::uint16_t>(m.amount);
    at = later(at) + kept.all();
  }
};
