// tests/corpus/accept/using_enum.hpp - using enum in a function, in a switch and at class scope.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <perdure/actor.hpp>

enum class signal_colour : std::uint8_t { red, amber, green };

struct shown {
  signal_colour now;
  std::uint32_t seconds;
};

constexpr std::uint32_t weight(signal_colour c) {
  switch (c) {
    using enum signal_colour;
    case red: return 4;
    case amber: return 2;
    case green: return 1;
  }
  return 0;
}

struct junction : perdure::actor<junction> {
  using enum signal_colour;
  signal_colour state = red;
  std::uint64_t waited = 0;
  std::uint32_t greens = 0;

  void on(const shown& m, perdure::context&) {
    waited += std::uint64_t{m.seconds} * weight(m.now);
    if (m.now == green) ++greens;
    state = state == red ? green : (state == green ? amber : red);
  }
};
