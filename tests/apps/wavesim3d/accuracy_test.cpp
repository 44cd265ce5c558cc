// tests/apps/wavesim3d/accuracy_test.cpp - the figures of wavesim3d-accuracy, held on small grids.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "experiments.hpp"

namespace wavesim3d::accuracy {
namespace {

perdure::options cpu() {
  perdure::options o;
  o.backend = perdure::backend::cpu;
  return o;
}

TEST(Accuracy, AThousandStepsStayWithinAHundredThousandthOfDoublePrecisionAndShowNoTiles) {
  const auto r = against_double(64, 1'000, 500, cpu());
  EXPECT_LE(r.error.back().value, 1e-5);
  EXPECT_GT(r.error.back().value, 0);
  EXPECT_NEAR(r.border_ratio, 1, 0.1);
}

TEST(Accuracy, TheOrderIsTwoInSpaceAndInTime) {
  const point space[] = {{16, mode_error(15, 0.5, false, cpu())},
                         {32, mode_error(31, 0.5, false, cpu())}};
  EXPECT_NEAR(slope(space[0], space[1]), 2, 0.1);
  const point time[] = {{2, mode_error(31, 0.5, true, cpu())},
                        {4, mode_error(31, 0.25, true, cpu())}};
  EXPECT_NEAR(slope(time[0], time[1]), 2, 0.1) << time[0].value << " " << time[1].value;
}

TEST(Accuracy, APulseArrivesWithinHalfACell) {
  for (const double lag : arrival_lag(16, cpu())) EXPECT_LE(std::abs(lag), 0.5);
}

TEST(Accuracy, HowLateAPulseIsGrowsWithTheWay) {
  const double near = arrival_lag(16, cpu(), 20)[0], usual = arrival_lag(16, cpu())[0];
  EXPECT_NEAR(near, usual / 2, 0.02);
}

TEST(Accuracy, AbsorbingFacesLetAPlaneWaveOut) {
  EXPECT_NEAR(reflection(boundary::dirichlet, 0, cpu()), 1, 0.05);
  EXPECT_NEAR(reflection(boundary::reflecting, 0, cpu()), 1, 0.05);
  EXPECT_LE(reflection(boundary::mur, 0, cpu()), 0.01);
  EXPECT_LE(reflection(boundary::sponge, 0, cpu()), 0.005);
  EXPECT_LE(reflection(boundary::sponge, 0, cpu(), 10), 0.01);
}

}  // namespace
}  // namespace wavesim3d::accuracy
