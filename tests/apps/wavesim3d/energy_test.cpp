// tests/apps/wavesim3d/energy_test.cpp - the scheme's own energy stays, and falls at the rate that damping says.
// SPDX-License-Identifier: Apache-2.0
#include "energy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "simulation.hpp"

namespace wavesim3d {
namespace {

perdure::options cpu() {
  perdure::options o;
  o.backend = perdure::backend::cpu;
  return o;
}
energy of(simulation& sim) {
  const world w{sim.what()};
  return energy_meter{sim.what(), w}.measure(static_cast<int>(sim.step()), sim.field(), sim.past());
}

TEST(Energy, DriftsByLessThanAHundredThousandthIn10000Steps) {
  scene s;
  s.cells = {32, 24, 16};
  s.mode = {3, 2, 1};
  simulation sim{s, cpu()};
  sim.advance(1);
  const double first = of(sim).total();
  double most = 0;
  for (int i = 0; i < 10; ++i) {
    sim.advance(1'000);
    most = std::max(most, std::abs(of(sim).total() / first - 1));
  }
  RecordProperty("drift", std::to_string(most));
  EXPECT_LE(most, 1e-5);
  EXPECT_GT(of(sim).kinetic, 0);
}

TEST(Energy, StaysAmongRigidWallsObstaclesAndTwoSpeeds) {
  scene s;
  s.cells = {40, 36, 20};
  s.faces = {boundary::reflecting, boundary::dirichlet, boundary::reflecting,
             boundary::reflecting, boundary::dirichlet, boundary::reflecting};
  s.materials = {{"air", substance::fluid, 343},
                 {"slow", substance::fluid, 150},
                 {"wall", substance::rigid},
                 {"foam", substance::soft}};
  shape box;
  box.from = {5, 5, 5};
  box.to = {20, 30, 12};
  shape ball;
  ball.what = shape::kind::sphere;
  ball.center = {28, 20, 10};
  ball.radius = 5;
  shape pit = ball;
  pit.center = {10, 30, 3};
  s.bodies = {{1, box}, {2, ball}, {3, pit}};
  s.sources = {{wave::ricker, {34, 10, 8}, {}, 1, 1500, 0.001}};
  simulation sim{s, cpu()};
  sim.advance(400);  // the pulse has been
  const double first = of(sim).total();
  ASSERT_GT(first, 0);
  for (int i = 0; i < 5; ++i) {
    sim.advance(300);
    EXPECT_NEAR(of(sim).total() / first, 1, 1e-5) << sim.step();
  }
}

TEST(Energy, FallsByTheRateOfTheDamping) {
  scene s;
  s.cells = {31, 31, 31};
  s.mode = {1, 1, 1};
  s.damping_per_s = 40;
  simulation sim{s, cpu()};
  sim.advance(10);
  const double first = of(sim).total();
  sim.advance(2'000);
  const double t = 2'000 * s.time_step_s();
  EXPECT_NEAR(std::log(of(sim).total() / first), -s.damping_per_s * t, 0.02 * s.damping_per_s * t);
}

}  // namespace
}  // namespace wavesim3d
