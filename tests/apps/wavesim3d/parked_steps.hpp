// tests/apps/wavesim3d/parked_steps.hpp - steps with the workers away between them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "simulation.hpp"

namespace wavesim3d {

/// Takes `times` times so many steps. After each time the workers have left, with the tiles and all that lies in links.
inline void advance_and_park(simulation& sim, int times, int steps) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds{60};
  for (int i = 0; i < times; ++i) {
    sim.advance(steps);
    while (!sim.statistics().parked) {
      ASSERT_LT(std::chrono::steady_clock::now(), until) << "they do not leave";
      std::this_thread::sleep_for(std::chrono::milliseconds{1});
    }
  }
  EXPECT_GE(sim.statistics().parks, static_cast<std::uint64_t>(times));
}

}  // namespace wavesim3d
